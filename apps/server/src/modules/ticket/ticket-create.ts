import type { feedback } from '@oms/contract/ticket/ticket.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { and, eq } from 'drizzle-orm'
import { devices } from '#modules/device/schema.ts'
import type { Ctx } from '#core/http/context.ts'
import { invalid } from '#core/http/api-error.ts'
import { notDeleted, scoped } from '#core/tenancy/tenancy.ts'
import { resolveOwningTenant } from '#core/tenancy/receiving-tenant.ts'
import { insertTicket } from './create-ticket.ts'
import { TICKET_BIZ_TYPE, requireHandler, formatAccountName } from './ticket-change.ts'

type Input = ParsedOf<typeof feedback.create>

/**
 * Creates a ticket. A serial determines the tenant; without a serial, the chosen tenant or the session's tenant
 * applies.
 */
export async function createTicket(ctx: Ctx, input: Input) {
  const { db, user, now, services } = ctx
  const { sn, tenantId: chosen, handlerId, ...fields } = input
  const device = sn === undefined ? undefined : await deviceOf(ctx, sn)
  const tenantId = await tenantFor(ctx, device, chosen)
  const handler = handlerId === undefined ? undefined : await requireHandler(ctx, handlerId, tenantId)
  const by = { uid: user.uid, name: formatAccountName(user) }
  const made = await insertTicket(services, db, now, { ...fields, tenantId, deviceId: device?.id, handler, by })
  ctx.audit({ bizType: TICKET_BIZ_TYPE, bizId: made.id, action: `新增工单 ${made.feedbackNo}` })
  return made
}

async function deviceOf({ db, user }: Ctx, sn: string) {
  const [found] = await db
    .select({ id: devices.id, tenantId: devices.tenantId })
    .from(devices)
    .where(and(eq(devices.sn, sn), notDeleted(devices), scoped(user, { tenant: devices.tenantId })))
  if (!found) throw invalid('没有找到该序列号的设备', 'sn')
  return found
}

async function tenantFor(ctx: Ctx, device: { readonly tenantId: number } | undefined, chosen: number | undefined) {
  return (await resolveOwningTenant(ctx, device?.tenantId ?? chosen, device ? 'sn' : 'tenantId')).id
}
