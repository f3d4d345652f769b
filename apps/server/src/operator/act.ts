import { randomBytes } from 'node:crypto'
import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { ALL_PERMISSIONS } from '@oms/contract/catalogue.ts'
import type { Db } from '#db/client.ts'
import { writeOperation } from '#kernel/audit.ts'
import type { AuditNote, Ctx, RequestFacts, User } from '#kernel/context.ts'
import type { Kernel } from '#kernel/kernel.ts'
import { SUPER_ROLE_ID } from '#kernel/rights.ts'
import { PLATFORM_TENANT_ID } from '#kernel/tenancy.ts'

/** Who acts, from where, and when: somebody at the terminal, or a person of the demo. */
export interface Actor {
  readonly user: User
  readonly facts: Pick<RequestFacts, 'ip' | 'userAgent'>
  readonly now?: Date
}

/** What the operation log is told of an act that is no call of the contract. */
export type Act = Pick<Endpoint, 'method' | 'path' | 'title' | 'kind' | 'log'> & { readonly name: string }

/** All rights of the platform in the tenant given; whoever reaches the machine's terminal has them anyway. */
export const everyRight = (facts: Partial<Pick<User, 'uid' | 'account' | 'realname' | 'tenantId'>>): User => ({
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

/** Somebody at the terminal, working in this tenant. */
export const atTerminal = (tenantId: number = PLATFORM_TENANT_ID): Actor => ({
  user: everyRight({ tenantId }),
  facts: { ip: '127.0.0.1', userAgent: 'oms cli' },
})

/**
 * Runs a service as a call would: in one transaction with its row in the operation log. With `outside` the service
 * opens its transactions itself, as `outsideTransaction` of a module says.
 */
export async function act<T>(
  kernel: Kernel,
  actor: Actor,
  what: Act & { readonly input: unknown; readonly outside?: true },
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const note: AuditNote = {}
  const after: (() => Promise<void> | void)[] = []
  const run = async (db: Db) => {
    const done = await work(contextOf(kernel, actor, { db, note, after, what }))
    await writeOperation(db, callOf(actor, what, note), { ok: true, message: '' })
    return done
  }
  const { db } = kernel.database
  const result = what.outside ? await run(db) : await db.transaction(run)
  for (const task of after) await task()
  return result
}

interface Inside {
  readonly db: Db
  readonly note: AuditNote
  readonly after: (() => Promise<void> | void)[]
  readonly what: Act
}

const contextOf = (kernel: Kernel, actor: Actor, { db, note, after, what }: Inside): Ctx => ({
  db,
  user: actor.user,
  now: actor.now ?? kernel.now(),
  request: requestOf(actor, what),
  kernel,
  incoming: null,
  audit: (more) => void Object.assign(note, more),
  afterCommit: (task) => void after.push(task),
  say: () => {},
  setSessionCookie: () => {},
})

const requestOf = ({ facts }: Actor, { method, path }: Act): RequestFacts => ({
  id: randomBytes(8).toString('hex'),
  ...facts,
  method,
  url: path,
  header: () => undefined,
})

function callOf(actor: Actor, { name, input, ...endpoint }: Act & { input: unknown }, note: AuditNote) {
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
