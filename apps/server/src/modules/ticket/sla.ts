import { SlaSettings, type SlaValue, STANDARD_SLA } from '@oms/contract/ticket/ticket-desk.ts'
import { FEEDBACK_CLOSED, FEEDBACK_SUSPENDED } from '@oms/contract/ticket/ticket-rows.ts'
import type { Db } from '#core/database/client.ts'
import { readSetting } from '#core/database/setting-store.ts'
import { addWorkingMinutes } from './business-clock.ts'

export const SLA_SETTINGS_KEY = 'ticketSla'
export const SLA_STATE = { none: 0, ok: 1, near: 2, breached: 3 } as const
/** Part of the time limit after which a ticket counts as near its limit. */
const NEAR = 0.8

/** Returns the SLA settings. Invalid values stored by an older version fall back to the default. */
export const readSlaSettings = async (db: Db): Promise<SlaValue> => (await readRevisedSlaSettings(db)).value

/** Returns the SLA settings and their revision, for the form. */
export async function readRevisedSlaSettings(db: Db): Promise<{ readonly value: SlaValue; readonly rev: number }> {
  const { value, rev } = await readSetting(db, SLA_SETTINGS_KEY)
  const stored = SlaSettings.safeParse(value)
  return { value: stored.success ? stored.data : STANDARD_SLA, rev }
}

/** Fields of a ticket that its timers depend on. */
export interface TimedTicket {
  readonly status: number
  readonly priority: number
  readonly createTime: Date
  readonly firstRespondTime: Date | null
  readonly closeTime: Date | null
  readonly pausedMinutes: number
  readonly slaBreached: boolean
}
export interface SlaFacts {
  readonly slaRespondDue: string | null
  readonly slaSolveDue: string | null
  readonly slaState: number
  readonly slaNextTime: string | null
  readonly slaBreached: boolean
}

const OFF: SlaFacts = {
  slaRespondDue: null,
  slaSolveDue: null,
  slaState: SLA_STATE.none,
  slaNextTime: null,
  slaBreached: false,
}

/**
 * Returns due times, state and the time of the next state change of a ticket at `now`. The first reply stops the
 * response timer; closing stops the resolution timer. Suspension stops both.
 */
export function computeSla(sla: SlaValue, zone: string, ticket: TimedTicket, now: Date): SlaFacts {
  if (!sla.enabled) return { ...OFF, slaBreached: ticket.slaBreached }
  const { createTime, firstRespondTime, closeTime, pausedMinutes, priority, status } = ticket
  const target = sla.targets[(priority >= 1 && priority <= 4 ? priority : 2) as 1 | 2 | 3 | 4]
  const after = (minutes: number) => addWorkingMinutes(sla.calendar, zone, createTime, minutes)
  const respond = { near: after(target.respond * NEAR), due: after(target.respond), done: firstRespondTime }
  const solve = {
    near: after(target.solve * NEAR + pausedMinutes),
    due: after(target.solve + pausedMinutes),
    done: closeTime,
  }
  const late = [respond, solve].some(({ due, done }) => (done ?? now) > due)
  const stopped = status === FEEDBACK_CLOSED || status === FEEDBACK_SUSPENDED
  const running = stopped ? [] : [respond, solve].filter(({ done }) => done === null)
  const slaBreached = ticket.slaBreached || (status === FEEDBACK_SUSPENDED ? false : late)
  return {
    slaRespondDue: respond.due.toISOString(),
    slaSolveDue: solve.due.toISOString(),
    slaState: stopped
      ? slaBreached
        ? SLA_STATE.breached
        : SLA_STATE.ok
      : Math.max(SLA_STATE.ok, ...running.map((one) => stateOf(one, now))),
    slaNextTime: nextOf(running, now),
    slaBreached,
  }
}

interface Limit {
  readonly near: Date
  readonly due: Date
}
const stateOf = ({ near, due }: Limit, now: Date) =>
  now >= due ? SLA_STATE.breached : now >= near ? SLA_STATE.near : SLA_STATE.ok

function nextOf(running: readonly Limit[], now: Date) {
  const ahead = running.flatMap(({ near, due }) => [near, due]).filter((at) => at > now)
  const first = ahead.sort((a, b) => a.getTime() - b.getTime())[0]
  return first?.toISOString() ?? null
}
