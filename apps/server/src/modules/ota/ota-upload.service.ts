import { DEFAULT_COMPONENT_TYPE } from '@oms/contract/ota.ts'
import type { Ctx } from '#kernel/context.ts'
import { saveUpload } from '#kernel/files/save-upload.ts'
import { tenantOf } from './ota-rows.ts'

/** Takes one component in one piece; size and digests are what arrived here. */
export async function upload(ctx: Ctx) {
  tenantOf(ctx.user)
  const { id, ...stored } = await saveUpload(ctx, 'component')
  ctx.audit({
    bizType: 'file',
    bizId: id,
    action: `上传组件「${stored.name}」${stored.size} 字节 sha256:${stored.sha256}`,
  })
  return { ...stored, type: DEFAULT_COMPONENT_TYPE }
}
