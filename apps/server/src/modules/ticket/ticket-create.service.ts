import type { feedback } from '@oms/contract/feedback.ts'
import type { ParsedOf } from '@oms/contract/kernel/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { devices } from '#db/schema/device.ts'
import { tenants } from '#db/schema/tenant.ts'
import type { Ctx } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/problem.ts'
import { alive, reaches, scoped } from '#kernel/tenancy.ts'
import { insertTicket } from '#kernel/tickets/create-ticket.ts'
import { BIZ, handlerOf, nameOf } from './ticket-change.ts'

type Input = ParsedOf<typeof feedback.create>

/** Writes down what somebody reported. The serial decides the customer; without one it is chosen, or one's own. */
export async function create(ctx: Ctx, input: Input) {
  const { db, user, now, kernel } = ctx
  const { sn, tenantId: chosen, handlerId, ...fields } = input
  const device = sn === undefined ? undefined : await deviceOf(ctx, sn)
  const tenantId = device?.tenantId ?? (await tenantOf(ctx, chosen))
  const handler = handlerId === undefined ? undefined : await handlerOf(ctx, handlerId, tenantId)
  const by = { uid: user.uid, name: nameOf(user) }
  const made = await insertTicket(kernel, db, now, { ...fields, tenantId, deviceId: device?.id, handler, by })
  ctx.audit({ bizType: BIZ, bizId: made.id, action: `新建工单 ${made.feedbackNo}` })
  return made
}

async function deviceOf({ db, user }: Ctx, sn: string) {
  const [found] = await db
    .select({ id: devices.id, tenantId: devices.tenantId })
    .from(devices)
    .where(and(eq(devices.sn, sn), alive(devices), scoped(user, { tenant: devices.tenantId })))
  if (!found) throw invalid('没有找到该序列号的设备', 'sn')
  return found
}

async function tenantOf({ db, user }: Ctx, chosen: number | undefined) {
  const tenantId = chosen ?? user.tenantId
  if (tenantId === null) throw forbidden()
  if (chosen === undefined) return tenantId
  const [found] = await db
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, chosen), alive(tenants)))
  if (!found || !reaches(user, chosen)) throw invalid('客户不存在或已被删除', 'tenantId')
  return tenantId
}
