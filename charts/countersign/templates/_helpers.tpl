{{/* The name of everything: the release's, which has the chart's in it. */}}
{{- define "countersign.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "countersign.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The names of ConfigMap and Secrets: yours, or those that the chart makes. */}}
{{- define "countersign.configMap" -}}
{{ .Values.configMap | default (include "countersign.name" .) }}
{{- end }}

{{- define "countersign.variables" -}}
{{ .Values.variables.secret | default (include "countersign.name" .) }}
{{- end }}

{{- define "countersign.files" -}}
{{ .Values.files.secret | default (printf "%s-files" (include "countersign.name" .)) }}
{{- end }}

{{- define "countersign.redisSecret" -}}
{{ .Values.redis.own.secret | default (printf "%s-redis" (include "countersign.name" .)) }}
{{- end }}

{{- define "countersign.gateSecret" -}}
{{ .Values.gate.secret | default (printf "%s-gate" (include "countersign.name" .)) }}
{{- end }}

{{/* The bot's port, by its rules. */}}
{{- define "countersign.port" -}}
{{- $port := dig "http" "port" 3000 (fromYaml .Values.config) | int -}}
{{- if eq $port 0 }}{{ fail "config: http.port is 0, any free one: give a number, so that the probes find the bot" }}{{ end }}
{{- $port -}}
{{- end }}

{{/* Says what is missing, or does not fit, before anything is installed. */}}
{{- define "countersign.checked" -}}
{{- $v := .Values -}}
{{- if and (not $v.config) (not $v.configMap) }}{{ fail "config: give your countersign.yaml (--set-file config=countersign.yaml), or the name of a ConfigMap that has it (configMap)" }}{{ end -}}
{{- if and $v.config $v.configMap }}{{ fail "config stands beside configMap: give only one of them" }}{{ end -}}
{{- range list (list "variables" $v.variables.secret $v.variables.values) (list "files" $v.files.secret $v.files.values) (list "redis.own" $v.redis.own.secret $v.redis.own.password) (list "gate" $v.gate.secret (or $v.gate.upstream $v.gate.token)) }}
{{- if and (index . 1) (index . 2) }}{{ fail (printf "%s.secret names a Secret of yours, and values stand beside it: give only one of them" (index . 0)) }}{{ end -}}
{{- end -}}
{{- if not (or $v.variables.secret $v.variables.values) }}{{ fail "variables: the bot needs COUNTERSIGN_KEY and Slack's tokens, in a Secret of yours (variables.secret) or from files (variables.values)" }}{{ end -}}
{{- if and $v.redis.own.enabled (not (or $v.redis.own.secret $v.redis.own.password)) }}{{ fail "redis.own: it needs a password, in a Secret of yours (redis.own.secret) or here (redis.own.password)" }}{{ end -}}
{{- if regexMatch "@|password=" $v.redis.url }}{{ fail "redis.url holds a password: put the address into a Secret, as REDIS_URL in variables" }}{{ end -}}
{{- if and $v.redis.own.enabled $v.redis.url }}{{ fail "redis.url stands beside redis.own: give only one of them" }}{{ end -}}
{{- if not (or $v.redis.own.enabled $v.redis.url $v.variables.secret $v.variables.values.REDIS_URL) }}{{ fail "redis: give its address (redis.url, or with a password REDIS_URL in variables), or try one of the chart's own (redis.own.enabled)" }}{{ end -}}
{{- if and $v.gate.enabled (not $v.gate.secret) (not (and $v.gate.upstream $v.gate.token)) }}{{ fail "gate: it needs AgentOS's address and the JWT, in a Secret of yours (gate.secret) or as gate.upstream and gate.token" }}{{ end -}}
{{- if $v.config }}
{{- $config := fromYaml $v.config -}}
{{- if hasKey $config "Error" }}{{ fail (printf "config is no YAML: %s" $config.Error) }}{{ end -}}
{{- if ne (dig "http" "host" "" $config) "0.0.0.0" }}{{ fail "config: write http: { host: 0.0.0.0 }, so that the probes reach the bot" }}{{ end -}}
{{- $onVolume := and $v.checkpoints.volume.enabled (hasPrefix "/proof/" (dig "ledger" "checkpoint_file" "" $config)) -}}
{{- if not (or $onVolume (dig "ledger" "audit_channel" "" $config)) }}{{ fail "config: no checkpoint of the ledger would outlive a pod: write ledger: { checkpoint_file: none, audit_channel: C… }, or checkpoint_file: /proof/checkpoints.jsonl with checkpoints.volume.enabled" }}{{ end -}}
{{- if and $v.monitoring.serviceMonitor.enabled (ne (dig "http" "metrics" "" $config) "anywhere") }}{{ fail "monitoring.serviceMonitor: Prometheus would be refused: write http: { host: 0.0.0.0, metrics: anywhere } into config" }}{{ end -}}
{{- if hasKey (dig "http" dict $config) "access_log" }}
{{- if not (and $v.checkpoints.volume.enabled (hasPrefix "/proof/" (dig "http" "access_log" "folder" "" $config))) }}{{ fail "config: the access log would go away with its pod: leave http.access_log out, so that its lines go to stdout, or write access_log: { folder: /proof/access } with checkpoints.volume.enabled" }}{{ end -}}
{{- end -}}
{{- $gate := printf "%s-gate" (include "countersign.name" .) -}}
{{- $urls := list -}}
{{- range $config.instances }}{{ $urls = concat $urls (compact (list (toString .url) .resume_url)) }}{{ end -}}
{{- $named := not (regexMatch "\\$\\{" (join " " $urls)) -}}
{{- if and $v.gate.enabled $named (not (regexMatch (printf "//%s[.:/]" $gate) (join " " $urls))) }}{{ fail (printf "gate: no instance of config goes through it: write url: http://%s:7780" $gate) }}{{ end -}}
{{- if and $v.networkPolicy.enabled $v.networkPolicy.platform.ports }}
{{- range append $urls $v.gate.upstream }}
{{- $port := include "countersign.portOf" . -}}
{{- if and $port (not (regexMatch (printf "//%s[.:/]" $gate) .)) (not (has $port (splitList " " (join " " $v.networkPolicy.platform.ports)))) }}{{ fail (printf "networkPolicy.platform.ports lacks %s, which %s needs: write networkPolicy: { platform: { ports: [%s] } }" $port . $port) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The port of an address; nothing if its name comes from a variable, or if there is no address. */}}
{{- define "countersign.portOf" -}}
{{- if and . (not (contains "${" .)) }}{{ regexFind "[0-9]+$" (urlParse .).host | default (ternary "80" "443" (hasPrefix "http:" .)) }}{{ end -}}
{{- end }}

{{/* The rights of each container. */}}
{{- define "countersign.rights" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* A rule of a NetworkPolicy for a place (what it is, its peers and ports); nothing without ports. */}}
{{- define "countersign.egress" -}}
{{- if .place.ports }}
# {{ .what }}
- ports: [{{ range $at, $port := .place.ports }}{{ if $at }}, {{ end }}{ port: {{ $port }} }{{ end }}]
{{- with .place.to }}
  to:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
{{- end }}
