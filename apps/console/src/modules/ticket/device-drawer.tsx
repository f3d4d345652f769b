import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { DevicePanel } from './device-panel.tsx'
import type { Device } from './service-devices.page.tsx'

/** Shows one device in a drawer, with its versions, upgrade tasks and tickets. */
export function DeviceDrawer(props: {
  rows: readonly Device[]
  row: Device | undefined
  onRow(row: Device | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ sn, devName }) => (devName ? `${sn}（${devName}）` : sn)}>
      {({ sn }) => <DevicePanel key={sn} sn={sn} />}
    </DetailDrawer>
  )
}
