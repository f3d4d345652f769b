import { type Endpoint, OPERATION, type OperationKind } from '@oms/contract/kernel/endpoint.ts'
import type { Db } from '#db/client.ts'
import { operLogs } from '#db/schema/system.ts'
import type { AuditNote, RequestFacts, User } from './context.ts'
import { masked } from './mask.ts'

const KIND_BY_NAME: Readonly<Record<string, OperationKind>> = {
  create: 'add',
  add: 'add',
  update: 'edit',
  modify: 'edit',
  remove: 'remove',
  enable: 'edit',
  disable: 'edit',
  export: 'export',
  import: 'import',
}

interface Call {
  readonly name: string
  readonly endpoint: Endpoint
  readonly request: RequestFacts
  readonly user: User | null
  readonly input: unknown
  readonly note: AuditNote
  readonly startedAt: number
}
interface Outcome {
  readonly ok: boolean
  readonly message: string
}

/** Is this call one that leaves a row in the operation log? Reads do not, but exports do. */
export const isLogged = (endpoint: Endpoint) =>
  endpoint.log !== false && (endpoint.method !== 'GET' || endpoint.kind === 'export')

/** Said of everything somebody of the vendor does while working in a customer: its people read the same log. */
const AWAY = '【代客户操作】'
const isAway = (user: User | null) =>
  user !== null && user.uid !== 0 && user.homeTenantId !== null && user.tenantId !== user.homeTenantId

/** Writes the row of one call. Inside the call's transaction it stands or falls with the change itself. */
export async function writeOperation(db: Db, call: Call, { ok, message }: Outcome) {
  const { endpoint, request, user, note } = call
  const row = {
    tenantId: user?.tenantId ?? null,
    uid: user?.uid ?? null,
    operName: user?.account ?? '',
    title: (endpoint.title ?? endpoint.path).slice(0, 50),
    businessType: OPERATION[endpoint.kind ?? KIND_BY_NAME[call.name] ?? 'other'],
    bizType: note.bizType ?? '',
    action: `${isAway(user) ? AWAY : ''}${note.action ?? ''}`.slice(0, 500),
    diff: note.diff ?? [],
    requestMethod: endpoint.method,
    operUrl: (request.url.split('?')[0] ?? '').slice(0, 255),
    operIp: request.ip,
    userAgent: request.userAgent.slice(0, 512),
    operParam: paramOf(call),
    jsonResult: ok ? message.slice(0, 500) : '',
    status: ok ? 1 : 0,
    errorMsg: ok ? '' : message.slice(0, 2000),
    traceId: request.id,
    costTime: Math.round(performance.now() - call.startedAt),
  }
  // What was done to several records stands in the history of each.
  const bizIds = note.bizIds?.length ? note.bizIds : [note.bizId ?? '']
  await db.insert(operLogs).values(bizIds.map((bizId) => ({ ...row, bizId: String(bizId).slice(0, 64) })))
}

function paramOf({ endpoint, input }: Call) {
  if (input === null || typeof input !== 'object') return ''
  const allowed = endpoint.log
  const fields = Object.entries(input).filter(([key]) => !allowed || allowed.includes(key))
  return JSON.stringify(masked(Object.fromEntries(fields))).slice(0, 2000)
}
