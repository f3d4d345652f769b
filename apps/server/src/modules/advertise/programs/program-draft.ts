import type { programChecks as calls } from '@oms/contract/advertise/program-check.ts'
import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import { invalid } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'
import { isTenantInScope } from '#core/tenancy/tenancy.ts'
import { readProgram } from './program-rows.ts'
import { prepareProgramContent } from './program-save.ts'
import type { CheckedProgram } from './program-subject.ts'

/**
 * Returns the content that saving the input would store, without storing it. Refuses what a save refuses in dates, ads
 * and targets.
 */
export async function prepareDraft(
  ctx: Ctx,
  { id, tenantId: asked, ...input }: ParsedOf<typeof calls.draftConflict>,
): Promise<CheckedProgram> {
  const { user } = ctx
  const stored = id === undefined ? undefined : await readProgram(ctx, id)
  const tenantId = stored?.tenantId ?? asked ?? user.tenantId ?? 0
  if (!stored && !isTenantInScope(user, tenantId)) throw invalid('请选择客户', 'tenantId')
  const before = { tenantId, items: stored?.items ?? [], ...(stored && { id: stored.id }) }
  const content = await prepareProgramContent(ctx, before, input)
  return { ...content, id: stored?.id ?? 0, tenantId, verNo: stored?.verNo ?? 0 }
}
