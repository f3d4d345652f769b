import { feedback, AfterSalesDeviceQuery } from '@oms/contract/ticket/ticket.ts'
import { AfterSalesDevice, TICKET_OPENERS } from '@oms/contract/ticket/ticket-rows.ts'
import { formatConnection } from '@oms/contract/device/device-fields.ts'
import { Badge } from 'antd'
import { useState } from 'react'
import type * as z from 'zod'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useCan } from '#core/auth/session.tsx'
import { Link } from '#core/routing/router.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { Page } from '#kit/record/page.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { minutes, time } from '#kit/record/time.tsx'
import { useList } from '#kit/list/use-list.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const DeviceDrawer = lazyAfterRender(() => import('./device-panel.tsx'), 'DeviceDrawer', {
  when: ({ row }) => row !== undefined,
})

export type Device = z.output<typeof AfterSalesDevice>
const { col, actions } = createColumns(AfterSalesDevice)
const ticketsOf = (sn: string, more = '') => `/AfterService/Questions?sn=${encodeURIComponent(sn)}${more}`

const COLUMNS = [
  col('sn', { width: 140 }),
  col('devName', { width: 110 }),
  col('modelName', { width: 125 }),
  col('typeName', { width: 100, hidden: true }),
  col('osVer', { width: 120 }),
  col('tenantName', { width: 198 }),
  col('online', (online, row) => <Badge status={online ? 'success' : 'default'} text={formatConnection(row)} />, {
    width: 84,
    hidden: true,
  }),
  col('activateTime', (at) => <span title={at ?? ''}>{time(at?.slice(0, 10))}</span>, {
    width: 110,
    sort: true,
    hidden: true,
  }),
  col('warrantyEnd', time, { width: 110, sort: true }),
  col('ticketCount', (count, { sn }) => (count > 0 ? <Link to={ticketsOf(sn)}>{count}</Link> : 0), {
    width: 75,
    align: 'right',
  }),
  col('openCount', (count, { sn }) => (count > 0 ? <Link to={ticketsOf(sn, '&open=1')}>{count}</Link> : 0), {
    width: 75,
    align: 'right',
  }),
  col('lastTicketTime', minutes, { width: 126 }),
]

const VIEWS: readonly BuiltInView[] = [
  { name: '有未关闭工单', filters: { tickets: '2' } },
  { name: '未激活', filters: { activated: '0' } },
]

/** Lists the devices with their tickets and the end of their warranty. */
export default function ServiceDevicesPage() {
  const list = useList(feedback.devices)
  const [shown, setShown] = useState<Device>()
  const can = useCan()
  const opens = TICKET_OPENERS.some(can)
  const rowActions = (row: Device) => <RowActions items={[{ label: '详情', onClick: () => setShown(row) }]} />
  return (
    <Page>
      <SearchForm {...list.search}>
        <Filter of={AfterSalesDeviceQuery} name="sn" />
        <Filter of={AfterSalesDeviceQuery} name="devName" />
        <SelectFilter of={AfterSalesDeviceQuery} name="tickets" />
        <Filter of={AfterSalesDeviceQuery} name="typeId">
          <DeviceTypePicker />
        </Filter>
        <Filter of={AfterSalesDeviceQuery} name="modelId">
          <DeviceModelPicker />
        </Filter>
        <Filter of={AfterSalesDeviceQuery} name="tenantId">
          <TenantPicker />
        </Filter>
        <SelectFilter of={AfterSalesDeviceQuery} name="online" />
        <SelectFilter of={AfterSalesDeviceQuery} name="activated" />
      </SearchForm>
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={opens ? [...COLUMNS, actions(rowActions, 80)] : COLUMNS}
        tools={<ExportButton to={feedback.exportDevices} query={list.query} name="售后设备" />}
        empty={{ drawing: 'device', text: '还没有设备', hint: '设备登记后，可以在这里查看保修到期日期与历次工单。' }}
        {...(opens && { onOpen: setShown })}
      />
      <DeviceDrawer rows={list.table.rows} row={shown} onRow={setShown} />
    </Page>
  )
}
