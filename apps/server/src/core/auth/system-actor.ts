import { randomBytes } from 'node:crypto'
import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Db } from '#core/database/client.ts'
import { writeOperation } from '#core/audit/operation-log.ts'
import type { AuditNote, Ctx, RequestFacts, User } from '#core/http/context.ts'
import type { Services } from '#core/services.ts'
import { SUPER_ROLE_ID } from './rights.ts'
import { PLATFORM_TENANT_ID } from '#core/tenancy/tenancy.ts'

/** Account, address and time of an action: an operator at the terminal, or an account of the demo data. */
export interface Actor {
  readonly user: User
  readonly facts: Pick<RequestFacts, 'ip' | 'userAgent'>
  readonly now?: Date
}

/** Describes an action for the operation log that was not started by an API call, such as a CLI command. */
export type LoggedAction = Pick<Endpoint, 'method' | 'path' | 'title' | 'kind' | 'log'> & { readonly name: string }

/**
 * Returns a user with all platform rights in the given tenant. An operator with terminal access has these rights
 * anyway.
 */
export const createPlatformUser = (facts: Partial<Pick<User, 'uid' | 'account' | 'realname' | 'tenantId'>>): User => ({
  uid: 0,
  account: 'cli',
  realname: '命令行',
  homeTenantId: PLATFORM_TENANT_ID,
  tenantId: PLATFORM_TENANT_ID,
  isPlatform: true,
  isSuper: true,
  roleIds: [SUPER_ROLE_ID],
  roleCodes: ['admin'],
  scope: { tenants: 'all', ownOnly: false },
  sessionId: '',
  mustChangePassword: false,
  permissions: ALL_PERMISSIONS,
  can: () => true,
  ...facts,
})

/** Creates the actor for an operator at the terminal who works in this tenant. */
export const createCliActor = (tenantId: number = PLATFORM_TENANT_ID): Actor => ({
  user: createPlatformUser({ tenantId }),
  facts: { ip: '127.0.0.1', userAgent: 'oms cli' },
})

/**
 * Runs a service like a call: in one transaction with its operation-log row. With `outside`, the service opens its own
 * transactions (see `outsideTransaction` of a module).
 */
export async function runAsActor<T>(
  services: Services,
  actor: Actor,
  what: LoggedAction & { readonly input: unknown; readonly outside?: true },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const note: AuditNote = {}
  const after: (() => Promise<void> | void)[] = []
  const run = async (db: Db) => {
    const done = await work(contextOf(services, actor, { db, note, after, what }))
    await writeOperation(db, callOf(actor, what, note), { ok: true, message: '' })
    return done
  }
  const { db } = services.database
  const result = what.outside ? await run(db) : await db.transaction(run)
  for (const task of after) await task()
  return result
}

interface Inside {
  readonly db: Db
  readonly note: AuditNote
  readonly after: (() => Promise<void> | void)[]
  readonly what: LoggedAction
}

const contextOf = (services: Services, actor: Actor, { db, note, after, what }: Inside): Ctx => ({
  db,
  user: actor.user,
  now: actor.now ?? services.now(),
  request: requestOf(actor, what),
  services,
  incoming: null,
  audit: (more) => void Object.assign(note, more),
  afterCommit: (task) => void after.push(task),
  say: () => {},
  recordIn: async () => {},
  setSessionCookie: () => {},
})

const requestOf = ({ facts }: Actor, { method, path }: LoggedAction): RequestFacts => ({
  id: randomBytes(8).toString('hex'),
  ...facts,
  method,
  url: path,
  header: () => undefined,
})

function callOf(actor: Actor, { name, input, ...endpoint }: LoggedAction & { input: unknown }, note: AuditNote) {
  return {
    name,
    endpoint: endpoint as unknown as Endpoint,
    request: requestOf(actor, { name, ...endpoint }),
    user: actor.user,
    input,
    note,
    startedAt: performance.now(),
  }
}
