import * as z from 'zod'
import type { Contract } from './kernel/endpoint.ts'

/** What the server pushes to an open console. Each is one server-sent event: `event:` the key, `data:` JSON of the schema. */
export const CONSOLE_EVENTS = {
  /** Sent first on every connection, and whenever the number changes. */
  unread: z.object({ count: z.int() }),
  /** The account's rights changed: fetch `account.perms` again. */
  perms: z.object({ version: z.string() }),
  /** This session was ended: forced out, replaced, disabled, password changed. */
  sessionEnd: z.object({ msg: z.string() }),
  /** Data dictionary `type` changed: forget what was cached of it. */
  dict: z.object({ type: z.string() }),
  /** Somebody changed rows of this resource (third part of the call's path, e.g. `device`): refetch if shown. */
  changed: z.object({ resource: z.string() }),
  /** A background job of this account moved on. `percent` 0-100; `state` as in `jobs`. */
  job: z.object({ jobId: z.int(), state: z.string(), percent: z.int() }),
  /** A new message for this account, for the toast and the list. */
  notice: z.object({ noticeId: z.int(), title: z.string() }),
} as const
export type ConsoleEvent = keyof typeof CONSOLE_EVENTS
export type ConsoleEventData<K extends ConsoleEvent> = z.output<(typeof CONSOLE_EVENTS)[K]>

export const events = {
  /** Read with `fetch` so that the headers `ticket` and `ownerId` travel; a comment line every 20 s keeps it open. */
  stream: {
    method: 'GET',
    path: '/api/v1/events',
    access: 'session',
    stream: 'events',
    input: z.object({}),
    result: z.null(),
  },
} as const satisfies Contract
