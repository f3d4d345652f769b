import { TASK } from '@oms/contract/ota-task.ts'
import { FLAG } from '#kernel/fleet/slots.ts'
import type { OpenTask } from '#kernel/fleet/state.ts'
import { sendJson } from '../answer.ts'
import type { Call } from '../side.ts'
import { busySeconds, firstSeconds, idleSeconds, shutSeconds, sleepText, waitSeconds } from '../sleep.ts'
import { shutFor } from '../window.ts'

interface Link {
  readonly href: string
}

const idleBodies = new Map<number, string>()

/** The answer to a device that has nothing to do; as ASCII text, which leaves in one piece with its head. */
export function idleBody(seconds: number): string {
  let body = idleBodies.get(seconds)
  if (!body) {
    body = `{"config":{"polling":{"sleep":"${sleepText(seconds)}"}}}`
    idleBodies.set(seconds, body)
  }
  return body
}

/** The same to a device that has installed something before; `base` in letters that need no escape in JSON. */
export function installedBody(seconds: number, base: string, taskId: number): string {
  return `${idleBody(seconds).slice(0, -1)},"_links":{"installedBase":{"href":"${base}/installedBase/${taskId}"}}}`
}

/** Seconds to sleep of an idle device. */
export function idleFor({ side, slot }: Pick<Call, 'side' | 'slot'>) {
  const { slots } = side.kernel.fleet
  return idleSeconds(slots.ids[slot]!, side.kernel.fleet.accessOf(slots.tenants[slot]!).pollSeconds)
}

/** Is there anything to say but "sleep"? Neither reads nor writes; most polls end here. */
export function isIdle({ side, slot, now }: Pick<Call, 'side' | 'slot' | 'now'>): boolean {
  const { fleet } = side.kernel
  const flags = fleet.slots.flags[slot]!
  if ((flags & (FLAG.open | FLAG.wanted)) !== 0) return false
  const rule = fleet.match(slot, fleet.moment(now))
  return !rule
}

/** The poll: what this device should do next, if anything. */
export async function poll(call: Call) {
  const { side, slot, now, base } = call
  const { fleet } = side.kernel
  const deviceId = fleet.slots.ids[slot]!
  const { pollSeconds } = fleet.accessOf(fleet.slots.tenants[slot]!)
  const { task, mustWait } = await nextTask(call)
  const links: Record<string, Link> = {}
  const shut = task && shutFor(call, task)
  if (task?.state === TASK.cancelling) links.cancelAction = { href: `${base}/cancelAction/${task.taskId}` }
  else if (task?.state === TASK.confirming) links.confirmationBase = { href: `${base}/confirmationBase/${task.taskId}` }
  // While its window is shut nobody is sent there: SWUpdate closes what it may only skip, as a success.
  else if (task && shut === undefined && side.pacing.mayFetch(task, now))
    links.deploymentBase = { href: `${base}/deploymentBase/${task.taskId}?c=${task.otaId}` }
  if ((fleet.slots.flags[slot]! & FLAG.wanted) !== 0) links.configData = { href: `${base}/configData` }
  const isHeld = mustWait || (task !== undefined && Object.keys(links).every((name) => name === 'configData'))
  const seconds = shut
    ? shutSeconds(deviceId, pollSeconds, shut)
    : isHeld
      ? waitSeconds(deviceId)
      : isFirst(call)
        ? firstSeconds(deviceId, pollSeconds)
        : task
          ? busySeconds(deviceId, pollSeconds)
          : idleSeconds(deviceId, pollSeconds)
  const installed = fleet.slots.installed[slot]!
  if (installed > 0) links.installedBase = { href: `${base}/installedBase/${installed}` }
  const config = { polling: { sleep: sleepText(seconds) } }
  sendJson(call.request, call.response, 200, Object.keys(links).length > 0 ? { config, _links: links } : { config })
}

/**
 * Never heard of before, and asked for its attributes: with them, sent after this answer, something may match, and
 * SWUpdate begins nothing before it has sent them.
 */
function isFirst({ side, slot }: Call) {
  const { slots } = side.kernel.fleet
  return slots.saved[slot] === 0 && (slots.flags[slot]! & FLAG.wanted) !== 0
}

interface Next {
  readonly task?: OpenTask | undefined
  readonly mustWait: boolean
}

/** The task under way, firmware before packages, or one made now because a version matches. */
async function nextTask({ side, slot, now }: Call): Promise<Next> {
  const { fleet } = side.kernel
  const open = fleet.state.openTasks(slot)
  const begun = open.find(({ packageName }) => packageName === '') ?? open[0]
  if (begun) return { task: begun, mustWait: false }
  const rule = fleet.match(slot, fleet.moment(now))
  if (!rule) return { mustWait: false }
  if (!side.pacing.mayOffer(rule, now)) return { mustWait: true }
  const task = await side.tasks.offer(slot, rule)
  if (task !== 'full') return { task, mustWait: false }
  side.pacing.full(rule, now)
  return { mustWait: true }
}
