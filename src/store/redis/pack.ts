// Packs records so that they take less space in Redis: deflated (RFC 1951) with words that nearly all of them share.
import { deflateRawSync, inflateRawSync } from "node:zlib"

/** A packed text begins with this; an unpacked text begins differently, as JSON does. */
const packedMark = 1

/**
 * Words that all cases have, open or settled. They never change: a packed text opens only with the words that packed
 * it. Better words would get a mark of their own.
 */
const dictionary = Buffer.from(
  [
    '"reason":null,"values":null,"revealed":false,"surface":"details","surface":"command","verb":"reject",',
    '"kind":"elsewhere","outcome":{"kind":"ours","verb":"approve","decisionId":"","resolvedBy":"","at":17},',
    '"resumption":{"kind":"ended","at":17,"end":{"kind":"completed","by":"us","detail":null,"deviations":[]}},',
    '"resumption":{"kind":"waiting","since":17,"misses":0,"beside":0},"kind":"voted","kind":"decided",',
    '"kind":"resolved","kind":"placed","kind":"changed","deadlines":[{"kind":"remind","at":17}],"decision":{"id":"",',
    '"verb":"approve","votes":[{"installation":"","caseId":"","revision":1,"digest":"","rules":[{"name":"",',
    '"hash":""}],"person":{"team":"T0","user":"U0"},"name":"","subject":"","verb":"approve","reason":null,',
    '"values":null,"revealed":false,"surface":"card","interaction":"","at":17,"mac":""}],"at":17},',
    '"sending":{"attempts":[],"body":"","receipt":""},{"route":"person:U0","place":{"channel":"D0","ts":"17.0"},',
    '"summary":false,"revision":1,"modelHash":"","told":4,"lease":null,"reposts":0,"trouble":null,"from":4}],',
    '"toolArgs":{"reason":"","requirements":[{"id":"","created_at":"2026-","created_at":17,',
    '"tool_execution":{"tool_call_id":"call_","tool_name":"","tool_args":{"","tool_call_error":null,"result":null,',
    '"metrics":null,"child_run_id":null,"stop_after_tool_call":false,"created_at":17,"requires_confirmation":true,',
    '"confirmed":null,"confirmation_note":null,"requires_user_input":null,"user_input_schema":null,',
    '"user_feedback_schema":null,"answered":null,"external_execution_required":null,"external_execution_silent":null,',
    '"approval_type":"required","approval_id":""},"member_agent_id":null,"member_agent_name":null,',
    '"member_run_id":null}}],"requires_confirmation":true,"confirmed":null}}],"context":null,"agentId":"-agent",',
    '"sourceName":" agent",{"id":"","version":1,"installation":"","instance":"main","approvalId":"","openedAt":17,',
    '"time":{"deadlines":[],"remindedTo":0,"escalated":[],"expired":null},"state":"closed","state":"settled",',
    '"state":"sending","state":"open","revision":{"number":1,"digest":"","demand":"","policy":"","quotas":[{"name":"",',
    '"hash":"","quorum":1}],"covered":true,"approvable":true,"look":{"mask":[],"risk":null,"danger":false,',
    '"reasons":[]}},"approval":{"instance":"main","id":"","runId":"","sessionId":"","status":"pending",',
    '"sourceType":"agent","approvalType":"required","pauseType":"confirmation","toolName":"","toolArgs":{},',
    '"requirements":null,"context":null,"agentId":"","teamId":null,"workflowId":null,"sourceName":"","userId":"@",',
    '"resolvedBy":null,"resolutionData":null,"resolvedAt":null,"createdAt":17,"updatedAt":17,"expiresAt":null,',
    '"runStatus":"PAUSED"},"before":null,"summary":{"tool":"","agent":"","requester":"@","calls":1,"createdAt":17},',
    '"votes":[],"decision":null,"sending":null,"outcome":null,"resumption":null,"cards":[{"route":"channel:C0",',
    '"place":{"channel":"C0","ts":"17.0"},"summary":false,"revision":1,"modelHash":"","told":1,"lease":{"by":"",',
    '"until":17},"lease":null,"reposts":0,"trouble":null}],"admission":{"agent":"","given":true},',
    '"lines":[{"kind":"opened",',
    '"at":17,"approval":"","instance":"main","revision":1,"digest":"","rules":[""],"asked":[{"rule":"","quorum":1,',
    '"approvers":["U0"]}]}],"noticed":[],"around":{"seen":false,"team":null,"unenforced":false},"calls":[""],',
    '"related":[],"informed":false,"missing":null,"epoch":"","chain":{"count":2,"mac":""},"data":1}',
  ].join(""),
)

/** For texts of some thousand bytes these are as good as zlib's own settings, which take 300 kB of memory each time. */
const small = { windowBits: 13, memLevel: 5, chunkSize: 4_096 }

/** Longer text is not packed: that would hold up other work, and small data in Redis could become large in memory. */
const maxLength = 65_536

/** Packs a text of JSON; a long text stays as it is. */
export function pack(text: string): string | Buffer {
  if (text.length > maxLength) return text
  return Buffer.concat([Buffer.of(packedMark), deflateRawSync(text, { ...small, dictionary })])
}

/** Gives back the text, even if it was never packed. Throws if the bytes begin like packed text and are none. */
export function unpack(bytes: Buffer): string {
  if (bytes[0] !== packedMark) return bytes.toString("utf8")
  return inflateRawSync(bytes.subarray(1), { dictionary }).toString("utf8")
}
