import { and, arrayContains, asc, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import type { Services } from '#core/services.ts'
import { deviceModels } from '#schema/device.ts'

/** Code of the model for voice devices whose board has no model. It has no boards, so it never offers firmware. */
export const VOICE_MODEL_CODE = 'XIAOZHI'

/** Returns the id of the enabled device model that lists this board, or undefined. */
export async function findModelOfBoard(db: Db, board: string): Promise<number | undefined> {
  if (board === '') return undefined
  const [found] = await db
    .select({ id: deviceModels.id })
    .from(deviceModels)
    .where(and(notDeleted(deviceModels), eq(deviceModels.status, 1), arrayContains(deviceModels.boards, [board])))
    .orderBy(asc(deviceModels.id))
    .limit(1)
  return found?.id
}

const CREATE = `with type as (
    insert into device_types (type_name, type_code) values ('语音设备', 'voice')
    on conflict (type_code) where deleted_at is null do update set type_code = excluded.type_code returning id)
  insert into device_models (type_id, model_name, model_code, remark)
  select id, '小智语音设备', '${VOICE_MODEL_CODE}', '绑定开发板未知的语音设备时自动使用，没有固件' from type
  on conflict (model_code) where deleted_at is null do update set model_code = excluded.model_code returning id`

/**
 * Returns the id of the shipped model of voice devices. Creates the model at the first use. Uses another connection
 * than the caller, so call it before a transaction begins.
 */
export async function ensureVoiceModel({ database }: Pick<Services, 'database'>): Promise<number> {
  const known = await database.pool.query<{ id: number }>(
    'select id from device_models where model_code = $1 and deleted_at is null',
    [VOICE_MODEL_CODE],
  )
  if (known.rows[0]) return known.rows[0].id
  const { rows } = await database.pool.query<{ id: number }>(CREATE)
  return rows[0]!.id
}
