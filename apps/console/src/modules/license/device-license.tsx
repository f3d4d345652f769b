import { licenseCerts } from '@oms/contract/license/license.ts'
import { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { StateTag, UidText, VendorName } from './license.tsx'

const { item } = createDescriptions(LicenseRow)
const ITEMS = [
  item('uid', (uid) => <UidText uid={uid} />),
  item('state', (state) => <StateTag state={state} />),
  item('vendor', (vendor) => <VendorName vendor={vendor} />),
  item('typeCode'),
  item('batchNo'),
  item('bindTime', time),
  item('activateTime', time),
  item('expireTime', (at) => (at ? time(at) : '长期有效')),
]

/** Device page tab with the device's certificate. */
export default function DeviceLicense({ sn }: { deviceId: number; sn: string }) {
  const { data, error, refetch } = useRead(licenseCerts.list, { sn, pageNum: 1, pageSize: 10 }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  const [license] = data.list
  if (!license) return <Empty description="设备没有绑定证书" />
  return <Descriptions row={license} items={ITEMS} />
}
