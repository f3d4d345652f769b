import { licenseCerts } from '@oms/contract/license.ts'
import { LicenseRow } from '@oms/contract/license-rows.ts'
import { Empty } from 'antd'
import { useRead } from '#kernel/query.ts'
import { Details, detailsOf } from '#kit/details.tsx'
import { time } from '#kit/time.tsx'
import { Waiting } from '#kit/waiting.tsx'
import { StateTag, Uid } from './license-cells.tsx'

const { item } = detailsOf(LicenseRow)
const ITEMS = [
  item('uid', (uid) => <Uid uid={uid} />),
  item('state', (state) => <StateTag state={state} />),
  item('vendor'),
  item('typeCode'),
  item('batchNo'),
  item('bindTime', time),
  item('activateTime', time),
  item('expireTime', (at) => (at ? time(at) : '长期有效')),
]

/** The certificate a device carries, as a tab of the device's page. */
export default function DeviceLicense({ sn }: { deviceId: number; sn: string }) {
  const { data, error, refetch } = useRead(licenseCerts.list, { sn, pageNum: 1, pageSize: 10 }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  const [license] = data.list
  if (!license) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="设备没有绑定证书" />
  return <Details row={license} items={ITEMS} />
}
