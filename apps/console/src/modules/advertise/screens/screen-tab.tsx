import { CalendarOutlined } from '@ant-design/icons'
import { adScreens, type ScreenRow } from '@oms/contract/advertise/screen.ts'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { Button, Empty } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Descriptions } from '#kit/record/descriptions.tsx'
import { NotesWithAdvice, SCREEN_ITEMS } from './screen-cells.tsx'

const AgendaDrawer = lazyAfterRender(() => import('../programs/agenda-drawer.tsx'), 'AgendaDrawer')

/** Shows the ad screen of a device in a tab of the device page. */
export default function ScreenTab({ deviceId, sn }: { deviceId?: number; sn: string }) {
  const { data, error, refetch } = useRead(adScreens.list, { sn, pageSize: 200 }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  const row = data.list.find(({ id }) => id === deviceId)
  return row ? <ScreenDetails row={row} /> : <Empty description="该设备还没有绑定屏幕" />
}

function ScreenDetails({ row }: { readonly row: ScreenRow }) {
  const [isAgendaOpen, setAgendaOpen] = useState(false)
  return (
    <>
      <Allowed to={programChecks.agenda}>
        <p>
          <Button icon={<CalendarOutlined aria-hidden />} onClick={() => setAgendaOpen(true)}>
            屏幕日程
          </Button>
        </p>
      </Allowed>
      <NotesWithAdvice row={row} />
      <Descriptions row={row} items={SCREEN_ITEMS} />
      {isAgendaOpen && <AgendaDrawer screen={row} onClose={() => setAgendaOpen(false)} />}
    </>
  )
}
