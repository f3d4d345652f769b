import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Caller } from '#test/harness.ts'

export const TICKET_URL = '/api/v1/feedback'
/** All permissions of a service agent of the vendor. */
export const AGENT_PERMISSIONS = [
  'AfterService:Questions:list',
  'AfterService:Questions:query',
  'AfterService:Questions:submit',
  'AfterService:Questions:add',
  'AfterService:PendingList:list',
  'AfterService:PendingList:query',
  'AfterService:PendingList:claim',
] as const
export const LEAD_PERMISSIONS = [
  ...AGENT_PERMISSIONS,
  'AfterService:Questions:assign',
  'AfterService:Questions:merge',
  'AfterService:Questions:edit',
  'AfterService:Questions:export',
  'AfterService:Questions:print',
] as const

/** Creates a ticket by this caller and returns its id. */
export async function createTicketBy(who: Caller, fields: object = {}): Promise<number> {
  const { code, msg, data } = await who.call('POST', TICKET_URL, { problemType: 1, content: '不能开机', ...fields })
  if (code !== 200) throw new Error(`${code} ${msg}`)
  return data.id
}
export const readTicket = async (who: Caller, id: number) => (await who.call('GET', `${TICKET_URL}/info/${id}`)).data
export const readTicketRecords = async (who: Caller, id: number) =>
  (await who.call('GET', `${TICKET_URL}/record/list/${id}`)).data

export const handleTicket = (who: Caller, feedbackId: number, fields: object = {}) =>
  who.call('POST', `${TICKET_URL}/dispose`, { feedbackId, status: 1, handlerId: who.uid, remark: '', ...fields })

let made = 0
/** Creates a device of this tenant with its own type and model. */
export async function createDevice(db: Db, tenantId: number, fields: { sn: string; verCode?: number }) {
  made += 1
  const { rows } = await db.execute<{ id: number; modelId: number }>(sql`
    with t as (insert into device_types (type_name, type_code) values (${`类型${made}`}, ${`type${made}`}) returning id),
      m as (insert into device_models (type_id, model_name, model_code)
        select id, ${`型号${made}`}, ${`model${made}`} from t returning id)
    insert into devices (tenant_id, model_id, sn, dev_name, os_ver, ver_code, activate_time)
    select ${tenantId}, id, ${fields.sn}, '客厅摄像机', 'V2.1', ${fields.verCode ?? 210}::int, now() from m
    returning id, model_id as "modelId"`)
  return rows[0] as { id: number; modelId: number }
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)
export const PNG_PICTURE = PNG

/** Uploads one file as the console does. */
export async function uploadFile(who: Caller, name: string, content: Buffer, purpose: string) {
  const boundary = '----oms-ticket'
  const payload = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: application/octet-stream\r\n\r\n`,
    ),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
  return (await who.inject({ method: 'POST', url: '/api/v1/file/upload', payload, headers })).json()
}
