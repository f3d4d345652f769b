import { connected, makePoller } from '../support/fleet.ts'
import { type Api, fresh } from '../support/people.ts'

const CHECKS = ['advertiser', 'truthful', 'wording', 'approval', 'suitable', 'quality']

/** Returns the text of an ad. */
export const textAd = (content: string) => ({
  content,
  fontSize: 120,
  color: '#ffffff',
  background: '#1d3b8b',
  align: 'center',
  scroll: false,
  speed: 3,
})

/** Creates an ad, submits the ad, and approves the ad as another person. */
export async function approvedAd(admin: Api, auditor: Api, fields: object) {
  const { id } = await admin.call<{ id: number }>('POST', '/api/v1/advertise/ad', { adName: fresh('广告'), ...fields })
  const submitted = await admin.call<object>('POST', `/api/v1/advertise/ad/submit/${id}`)
  const decision = { id, ...submitted, auditStatus: 2, remark: '', checks: CHECKS }
  await auditor.call('POST', '/api/v1/advertise/ad/audit', decision)
  return id
}

/** Creates a device with a screen of 1920×1080. */
export async function makeScreen() {
  const device = await makePoller()
  const client = await connected()
  await client.query(
    `insert into ad_screens (device_id, tenant_id, player_kind, width, height)
     select id, tenant_id, 1, 1920, 1080 from devices where id = $1`,
    [device.deviceId],
  )
  await client.end()
  return device
}
