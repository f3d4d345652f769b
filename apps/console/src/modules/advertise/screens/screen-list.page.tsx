import { LinkOutlined } from '@ant-design/icons'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { adScreens, ScreenRow, SMIL_PLAYER } from '@oms/contract/advertise/screen.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useSearchParams } from '#core/routing/router.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { Page } from '#kit/record/page.tsx'
import { minutes, time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { DeliveryState, formatPlayer, formatScreenSize, PlayingCell, ScreenNotes } from './screen-cells.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const PairForm = lazyAfterRender(() => import('./screen-dialogs.tsx'), 'PairForm')
const SmilForm = lazyAfterRender(() => import('./screen-dialogs.tsx'), 'SmilForm')
const ScreenForm = lazyAfterRender(() => import('./screen-dialogs.tsx'), 'ScreenForm')
const AgendaDrawer = lazyAfterRender(() => import('../programs/agenda-drawer.tsx'), 'AgendaDrawer')
const ScreenDrawer = lazyAfterRender(() => import('./screen-dialogs.tsx'), 'ScreenDrawer', {
  when: ({ row }) => row !== undefined,
})

const { col, actions } = createColumns(ScreenRow)
const QUERY = adScreens.list.input
const COLUMNS = [
  col('sn', { width: 122 }),
  col('online', { width: 74 }),
  col('deliveryState', (_, row) => <DeliveryState row={row} />, { width: 112 }),
  col('clockOffsetMs', (_, row) => <ScreenNotes row={row} />, { title: '提示', width: 114 }),
  col('adName', (_, row) => <PlayingCell row={row} />, { width: 138 }),
  col('width', (_, row) => formatScreenSize(row), { width: 94 }),
  col('playerKind', (_, row) => <Ellipsis text={formatPlayer(row)} />, { width: 116 }),
  col('lastReportTime', minutes, { width: 124, sort: true }),
  col('devName', { width: 140, hidden: true }),
  col('modelName', { width: 140, hidden: true }),
  col('tenantName', { width: 140, hidden: true }),
  col('timeZone', { width: 140, hidden: true }),
  col('audienceFactor', { width: 100, align: 'right', hidden: true }),
  col('volume', { width: 80, align: 'right', hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
]

interface Open {
  /** Code in the address of the QR code on a screen. */
  readonly pair?: string
  readonly smil?: ScreenRow | 'new'
  readonly edit?: ScreenRow
  readonly agenda?: ScreenRow
}

const VIEWS: readonly BuiltInView[] = [
  { name: '离线', filters: { online: '0' } },
  { name: '投放失败', filters: { deliveryState: '3' } },
]

/** Screens that play ads. */
export default function ScreenListPage() {
  const list = useList(adScreens.list)
  const [params, setParams] = useSearchParams()
  const code = params.get('pairCode')
  const [open, setOpen] = useState<Open>({})
  const [shown, setShown] = useState<ScreenRow>()
  const rowActions = useRowActions(setOpen)
  const pair = open.pair ?? code ?? undefined
  const close = () => {
    setOpen({})
    // Removes the code from the URL: the code is no filter of the list, and a reload must not open the dialog again.
    if (code !== null) setParams(new URLSearchParams(), { replace: true })
  }
  const buttons = <Buttons onOpen={setOpen} />
  return (
    <Page>
      <ScreenSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[
          ...COLUMNS,
          actions(rowActions, 122, [programChecks.agenda, adScreens.update, adScreens.smilKey, adScreens.unpair]),
        ]}
        actions={buttons}
        empty={{ text: '还没有屏幕', hint: '在屏幕上打开 /player/，再输入屏幕显示的配对码。', action: buttons }}
        onOpen={setShown}
      />
      <ScreenDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {pair !== undefined && <PairForm code={pair} onClose={close} />}
      {open.smil && <SmilForm row={open.smil} onClose={close} />}
      {open.edit && <ScreenForm row={open.edit} onClose={close} />}
      {open.agenda && <AgendaDrawer screen={open.agenda} onClose={close} />}
    </Page>
  )
}

const Buttons = ({ onOpen }: { onOpen(open: Open): void }) => (
  <>
    <Allowed to={adScreens.pair}>
      <Button type="primary" icon={<LinkOutlined />} onClick={() => onOpen({ pair: '' })}>
        配对屏幕
      </Button>
    </Allowed>
    <Allowed to={adScreens.smilKey}>
      <Button onClick={() => onOpen({ smil: 'new' })}>第三方播放器地址</Button>
    </Allowed>
  </>
)

function ScreenSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="sn" />
      <SelectFilter of={QUERY} name="online" />
      <SelectFilter of={QUERY} name="playerKind" />
      <SelectFilter of={QUERY} name="deliveryState" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

/** Returns a function that renders the actions on a screen. */
function useRowActions(onOpen: (open: Open) => void) {
  const unpair = useWrite(adScreens.unpair)
  return (row: ScreenRow) => (
    <RowActions
      items={[
        { label: '编辑', to: adScreens.update, onClick: () => onOpen({ edit: row }) },
        { label: '日程', to: programChecks.agenda, onClick: () => onOpen({ agenda: row }) },
        row.playerKind === SMIL_PLAYER && {
          label: '更换地址',
          to: adScreens.smilKey,
          onClick: () => onOpen({ smil: row }),
        },
        {
          label: '解除配对',
          to: adScreens.unpair,
          danger: true,
          confirm: `解除屏幕「${row.sn}」的配对？播放器将不能再获取节目，已缓存的节目播放至多 24 小时。`,
          onClick: () => unpair.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
}
