import { TASK_STATE_CODE } from '@oms/contract/upgrade/task-state.ts'
import { SLOT_FLAG } from '#modules/device/fleet/slots.ts'
import type { OpenTask } from '#modules/device/fleet/state.ts'
import { sendJson } from '#modules/device/wire/response.ts'
import type { DdiCall } from '#main/devices/device-services.ts'
import {
  computeBusyPollSeconds,
  computeFirstPollSeconds,
  computeIdlePollSeconds,
  computeClosedWindowSeconds,
  formatPollInterval,
  computeHeldPollSeconds,
} from '#modules/device/wire/pacing.ts'
import { isReleasePaused, computeSecondsUntilOpen } from '../releases/maintenance-window.ts'

interface Link {
  readonly href: string
}

const idleBodies = new Map<number, string>()

/** Returns the response body for an idle device as ASCII text, which can be sent together with the headers. */
export function buildIdleBody(seconds: number): string {
  let body = idleBodies.get(seconds)
  if (!body) {
    body = `{"config":{"polling":{"sleep":"${formatPollInterval(seconds)}"}}}`
    idleBodies.set(seconds, body)
  }
  return body
}

/** Returns the body for an idle device with an installed task. `base` must not need JSON escapes. */
export function buildInstalledBody(seconds: number, base: string, taskId: number): string {
  return `${buildIdleBody(seconds).slice(0, -1)},"_links":{"installedBase":{"href":"${base}/installedBase/${taskId}"}}}`
}

/** Returns the poll interval of an idle device in seconds. */
export function computeIdleInterval({ side, slot }: Pick<DdiCall, 'side' | 'slot'>) {
  const { slots } = side.services.fleet
  return computeIdlePollSeconds(slots.ids[slot]!, side.services.fleet.accessOf(slots.tenants[slot]!).pollSeconds)
}

/**
 * True when the response contains only the poll interval. Neither reads nor writes the database; most polls end
 * here.
 */
export function isIdle({ side, slot, now }: Pick<DdiCall, 'side' | 'slot' | 'now'>): boolean {
  const { fleet } = side.services
  const flags = fleet.slots.flags[slot]!
  if ((flags & (SLOT_FLAG.open | SLOT_FLAG.wanted)) !== 0) return false
  const rule = fleet.match(slot, fleet.moment(now))
  return !rule
}

/** Handles a poll: returns the links to the device's next actions. */
export async function handlePoll(call: DdiCall) {
  const { side, slot, now, base } = call
  const { fleet } = side.services
  const deviceId = fleet.slots.ids[slot]!
  const { pollSeconds } = fleet.accessOf(fleet.slots.tenants[slot]!)
  const { task, mustWait } = await nextTask(call)
  const links: Record<string, Link> = {}
  const shut = task && computeSecondsUntilOpen(call, task)
  if (task?.state === TASK_STATE_CODE.cancelling) links.cancelAction = { href: `${base}/cancelAction/${task.taskId}` }
  else if (task && isReleasePaused(call, task)) {
    // The response has no link: the release was paused before this device started.
  } else if (task?.state === TASK_STATE_CODE.confirming)
    links.confirmationBase = { href: `${base}/confirmationBase/${task.taskId}` }
  // No deployment link while the daily window is closed: SWUpdate closes a skipped task as a success.
  else if (task && shut === undefined && side.pacing.mayFetch(task, now))
    links.deploymentBase = { href: `${base}/deploymentBase/${task.taskId}?c=${task.otaId}` }
  if ((fleet.slots.flags[slot]! & SLOT_FLAG.wanted) !== 0) links.configData = { href: `${base}/configData` }
  const isHeld = mustWait || (task !== undefined && Object.keys(links).every((name) => name === 'configData'))
  const seconds = shut
    ? computeClosedWindowSeconds(deviceId, pollSeconds, shut)
    : isHeld
      ? computeHeldPollSeconds(deviceId)
      : isFirst(call)
        ? computeFirstPollSeconds(deviceId, pollSeconds)
        : task
          ? computeBusyPollSeconds(deviceId, pollSeconds)
          : computeIdlePollSeconds(deviceId, pollSeconds)
  const installed = fleet.slots.installed[slot]!
  if (installed > 0) links.installedBase = { href: `${base}/installedBase/${installed}` }
  const config = { polling: { sleep: formatPollInterval(seconds) } }
  sendJson(call.request, call.response, 200, Object.keys(links).length > 0 ? { config, _links: links } : { config })
}

/**
 * True for a device that was never seen and must send its attributes. The attributes, sent after this response, can
 * make a version match. SWUpdate starts nothing before it has sent the attributes.
 */
function isFirst({ side, slot }: DdiCall) {
  const { slots } = side.services.fleet
  return slots.saved[slot] === 0 && (slots.flags[slot]! & SLOT_FLAG.wanted) !== 0
}

interface Next {
  readonly task?: OpenTask | undefined
  readonly mustWait: boolean
}

/** Returns the open task, firmware before packages, or creates a task when a version matches. */
async function nextTask({ side, slot, now }: DdiCall): Promise<Next> {
  const { fleet } = side.services
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
