// The script that makes a container's file system and then becomes its process.
import { join } from "node:path"
import type { ContainerSpec, Mount, Tmpfs } from "./container.ts"

/** What the script is told besides: an empty folder, and the hosts of the network. */
export interface StartOptions {
  readonly work: string
  readonly hostsFile: string
}

/** The script, for `sh -c` in new namespaces. It waits for a line on its input before it begins. */
export function startScript(spec: ContainerSpec, { work, hostsFile }: StartOptions): string {
  const root = join(work, "root")
  const hosts = { source: hostsFile, target: "/etc/hosts", readOnly: true }
  return [
    "set -eu",
    "read -r go",
    "mount --make-rprivate /",
    `mount -t tmpfs tmpfs ${quoted(work)}`,
    `cd ${quoted(work)}`,
    "mkdir upper work root",
    `mount -t overlay -o ${quoted(`lowerdir=${spec.root},upperdir=${work}/upper,workdir=${work}/work`)} overlay root`,
    "mount -t proc proc root/proc",
    ...devices,
    ...spec.tmpfs.flatMap((one) => tmpfsLines(root, one)),
    ...[hosts, ...spec.mounts].flatMap((mount) => mountLines(root, mount)),
    ...(spec.readOnly ? ["mount -o remount,bind,ro root"] : []),
    "exec < /dev/null",
    ...startLines(spec, root),
  ].join("\n")
}

const devices = [
  "mount -t tmpfs -o mode=755 tmpfs root/dev",
  "mkdir root/dev/shm && mount -t tmpfs tmpfs root/dev/shm",
  "for one in null zero full random urandom; do : > root/dev/$one; mount --bind /dev/$one root/dev/$one; done",
  "ln -s /proc/self/fd root/dev/fd",
  "ln -s fd/0 root/dev/stdin && ln -s fd/1 root/dev/stdout && ln -s fd/2 root/dev/stderr",
]

function tmpfsLines(root: string, { target, options }: Tmpfs): readonly string[] {
  const at = quoted(join(root, target))
  return [`mkdir -p ${at}`, `mount -t tmpfs -o ${quoted(options)} tmpfs ${at}`]
}

/** A target that is not in the image is made first, as what the source is. */
function mountLines(root: string, { source, target, readOnly }: Mount): readonly string[] {
  const [from, at] = [quoted(source), quoted(join(root, target))]
  return [
    `if [ -d ${from} ]; then mkdir -p ${at}; else mkdir -p "$(dirname ${at})"; [ -e ${at} ] || : > ${at}; fi`,
    `mount --bind ${from} ${at}`,
    ...(readOnly ? [`mount -o remount,bind,ro ${at}`] : []),
  ]
}

function startLines(spec: ContainerSpec, root: string): readonly string[] {
  const { user, group, groups, noRights, folder, env, argv, init } = spec
  const rights = noRights ? ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"] : []
  const others = groups.length === 0 ? "--clear-groups" : `--groups=${groups.join()}`
  const who = ["/usr/bin/setpriv", `--reuid=${user}`, `--regid=${group}`, others, ...rights]
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const started = init ? ["/bin/sh", "-c", initProgram, "init", ...argv] : argv
  const words = [root, ...who, "/usr/bin/env", "-i", "-C", folder, ...variables, ...started]
  return [`exec chroot ${words.map(quoted).join(" ")}`]
}

/** The first process of a container with an `init`: hands SIGTERM on, and ends as its child did. */
const initProgram = `
"$@" &
child=$!
trap 'kill -TERM "$child"' TERM
while :; do
  if wait "$child"; then code=0; else code=$?; fi
  kill -0 "$child" 2> /dev/null || exit "$code"
done`

/** A word as the shell reads it back. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}
