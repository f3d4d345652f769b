import { DetailDrawer } from '#kit/detail-drawer.tsx'
import { DevicePanel } from './device-panel.tsx'
import type { Device } from './service-devices.page.tsx'

/** One device beside the list, with its versions, upgrades and tickets. */
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
