import { adScreens } from '@oms/contract/advertise/screen.ts'
import { Empty } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions } from '#kit/record/descriptions.tsx'
import { SCREEN_ITEMS, ScreenNotes } from './screen-cells.tsx'

/** Shows the ad screen of a device in a tab of the device page. */
export default function ScreenTab({ deviceId, sn }: { deviceId?: number; sn: string }) {
  const { data, error, refetch } = useRead(adScreens.list, { sn, pageSize: 200 }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  const row = data.list.find(({ id }) => id === deviceId)
  if (!row) return <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="该设备还没有绑定屏幕" />
  return (
    <>
      <ScreenNotes row={row} />
      <Descriptions row={row} items={SCREEN_ITEMS} />
    </>
  )
}
