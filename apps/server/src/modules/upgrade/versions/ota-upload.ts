import { DEFAULT_COMPONENT_TYPE } from '@oms/contract/upgrade/ota.ts'
import type { Ctx } from '#core/http/context.ts'
import { saveUpload } from '#core/storage/save-upload.ts'
import { requireSessionTenant } from './ota-rows.ts'

/** Stores one component upload and returns the size and digests of the received bytes. */
export async function uploadComponent(ctx: Ctx) {
  requireSessionTenant(ctx.user)
  const { id, ...stored } = await saveUpload(ctx, 'component')
  ctx.audit({
    bizType: 'file',
    bizId: id,
    action: `上传组件「${stored.name}」${stored.size} 字节 sha256:${stored.sha256}`,
  })
  return { ...stored, type: DEFAULT_COMPONENT_TYPE }
}
