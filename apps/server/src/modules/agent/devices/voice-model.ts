import { AGENT_EVENT_KIND } from '@oms/contract/agent/devices/device-event.ts'
import { and, arrayContains, asc, eq, sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { deviceModels } from '#modules/device/schema.ts'
import type { DeviceEvent } from './device-events.ts'

/** Code of the model for voice devices whose board has no model. It has no boards, so it never offers firmware. */
const VOICE_MODEL_CODE = 'XIAOZHI'

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

/** Returns the id of the shipped model of voice devices. Creates the model at the first use. */
export const ensureVoiceModel = ({ database }: Pick<Services, 'database'>): Promise<number> =>
  ensureVoiceModelIn(database.db)

/** Implements `ensureVoiceModel` in a transaction of the caller. */
export async function ensureVoiceModelIn(db: Db): Promise<number> {
  const known = await db
    .select({ id: deviceModels.id })
    .from(deviceModels)
    .where(and(eq(deviceModels.modelCode, VOICE_MODEL_CODE), notDeleted(deviceModels)))
  if (known[0]) return known[0].id
  const { rows } = await db.execute<{ id: number }>(sql.raw(CREATE))
  return rows[0]!.id
}

interface Move {
  readonly mac: string
  readonly tenantId: number
  readonly board: string
  readonly modelId: number
}

/** Returns the timeline event of a device that was moved to the device model that lists its board. */
export const buildModelMovedEvent = ({ mac, tenantId, board, modelId }: Move): DeviceEvent => ({
  mac,
  tenantId,
  kind: AGENT_EVENT_KIND.model,
  detail: { board, modelId },
})
