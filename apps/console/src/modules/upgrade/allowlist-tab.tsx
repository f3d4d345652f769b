import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { type otaAllowlist, AllowlistDevice } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { DeviceFilter, formatConnection } from '@oms/contract/device/device-fields.ts'
import { Button, Segmented } from 'antd'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { showJob } from '#kit/jobs/show-job.ts'
import { useInnerList } from '#kit/list/use-list.ts'
import { useReleaseCalls, type Release } from './release.tsx'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { State } from '#kit/record/state.tsx'

const PasteModal = lazyAfterRender(() => import('./release-dialogs.tsx'), 'PasteModal')

type Device = ResultOf<typeof otaAllowlist.inWhite>['list'][number]
type Side = 'in' | 'out'
const SIDES = [
  { value: 'in', label: '白名单内' },
  { value: 'out', label: '未在白名单' },
]

const { col, actions } = createColumns(AllowlistDevice)
const online = col(
  'online',
  (value, row) => <State color={value === 1 ? 'success' : 'default'}>{formatConnection(row)}</State>,
  { width: 90 },
)
const COMMON = [
  col('sn', { width: 180, sort: true }),
  col('devName', { width: 140 }),
  col('verCode', { width: 110, align: 'right', sort: true }),
  online,
  col('tenantName', { width: 140 }),
]
const IN = [...COMMON, col('whiteTime', time, { width: 170 }), col('whiteByName', { width: 110 })]
const OUT = [
  ...COMMON,
  col('lastOnlineTime', time, { width: 170 }),
  col('createTime', time, { width: 170, hidden: true }),
]

/**
 * Manages the allowlist of a version in two lists: devices on the allowlist and other devices. Both lists use the
 * filters of the device list.
 */
export function AllowlistTab({ release }: { release: Release }) {
  const [side, setSide] = useState<Side>('in')
  return <AllowlistSide key={side} side={side} onSide={setSide} release={release} />
}

interface SideProps {
  readonly side: Side
  readonly release: Release
  onSide(side: Side): void
}

function AllowlistSide({ side, onSide, release }: SideProps) {
  const { otaId, verName, canSteer } = release
  const calls = useReleaseCalls()
  const list = useInnerList(side === 'in' ? calls.white.inWhite : calls.white.notInWhite, { otaId })
  const [pasting, setPasting] = useState(false)
  const rowActions = useRowActions(otaId, side)
  return (
    <>
      <AllowlistSearch {...list.search} />
      <DataTable
        {...list.table}
        name={`ota-white-${side}`}
        rowKey="deviceId"
        columns={[...(side === 'in' ? IN : OUT), ...(canSteer ? [actions(rowActions, 90)] : [])]}
        actions={
          <AllowlistActions
            side={side}
            onSide={onSide}
            release={release}
            list={list}
            onPaste={() => setPasting(true)}
          />
        }
        {...(canSteer && {
          batch: (picked: Picked<Device>) => <AllowlistBatch otaId={otaId} side={side} picked={picked} />,
        })}
        empty={emptyOf(side, onSide)}
      />
      {pasting && <PasteModal otaId={otaId} verName={verName} onClose={() => setPasting(false)} />}
    </>
  )
}

/** Filters of the device list. */
const AllowlistSearch = (search: SearchProps) => (
  <SearchForm {...search}>
    <Filter of={DeviceFilter} name="sn" />
    <Filter of={DeviceFilter} name="devName" />
    <Filter of={DeviceFilter} name="tenantId">
      <TenantPicker />
    </Filter>
    <SelectFilter of={DeviceFilter} name="online" />
    <Filter of={DeviceFilter} name="verCodeMin" />
    <Filter of={DeviceFilter} name="verCodeMax" />
    <Filter of={DeviceFilter} name="tag" />
  </SearchForm>
)

/** Returns a function that renders the button that adds or removes one device. */
function useRowActions(otaId: number, side: Side) {
  const calls = useReleaseCalls()
  const change = useWrite(side === 'in' ? calls.white.remove : calls.white.put, ALSO)
  const verb = side === 'in' ? '移除' : '加入'
  return (row: Device) => (
    <RowActions
      items={[
        {
          label: verb,
          to: side === 'in' ? calls.white.remove : calls.white.put,
          ...(side === 'in' && { danger: true as const }),
          onClick: () => change.mutateAsync({ otaId, ids: [row.deviceId] }).catch(() => {}),
        },
      ]}
    />
  )
}

interface ActionsProps extends SideProps {
  readonly list: { readonly query: object; readonly table: { total: number; isEstimate: boolean; filtered: boolean } }
  onPaste(): void
}

function AllowlistActions({ side, onSide, release: { otaId, canSteer }, list, onPaste }: ActionsProps) {
  const calls = useReleaseCalls()
  return (
    <>
      <Segmented options={SIDES} value={side} onChange={(next) => onSide(next as Side)} aria-label="白名单范围" />
      {canSteer && (
        <>
          <Allowed to={calls.white.put}>
            <Button onClick={onPaste}>粘贴序列号</Button>
          </Allowed>
          <ChangeAllButton
            side={side}
            query={{ ...list.query, otaId }}
            total={list.table.total}
            isEstimate={list.table.isEstimate}
            filtered={list.table.filtered}
          />
        </>
      )}
    </>
  )
}

function emptyOf(side: Side, onSide: (side: Side) => void) {
  return side === 'in'
    ? {
        text: '白名单还没有设备：测试发布时只有白名单设备会收到该版本',
        action: (
          <Button type="primary" onClick={() => onSide('out')}>
            去添加设备
          </Button>
        ),
      }
    : { text: '该型号的设备都已在白名单中' }
}

const ALSO = { alsoChanges: ['upgrade'] }
const FILTERS = Object.keys(DeviceFilter.shape)

/** Adds or removes every device that matches the filter. A large selection runs as a job. */
function ChangeAllButton(props: { side: Side; query: object; total: number; isEstimate: boolean; filtered: boolean }) {
  const calls = useReleaseCalls()
  const { side, query, total, isEstimate, filtered } = props
  const endpoint = side === 'in' ? calls.white.removeAll : calls.white.putAll
  const { mutateAsync, isPending } = useWrite(endpoint as typeof otaAllowlist.putAll, ALSO)
  const verb = side === 'in' ? '移除' : '加入'
  const whole = filtered ? '全部筛选结果' : '全部'
  const words = `${verb}${whole}（${isEstimate ? '约 ' : ''}${total} 台）`
  const run = async () => {
    const { otaId, ...rest } = query as { otaId: number } & Record<string, unknown>
    const filter = Object.fromEntries(Object.entries(rest).filter(([key]) => FILTERS.includes(key)))
    const { jobId } = await mutateAsync({ otaId, ...filter })
    if (jobId !== undefined) showJob(jobId, `正在后台${verb}白名单设备`)
  }
  return (
    <Allowed to={endpoint}>
      <ReasonedButton
        reason={total === 0 ? `没有可以${verb}的设备` : undefined}
        danger={side === 'in'}
        loading={isPending}
        onClick={() =>
          dialogs.confirm({
            title: words,
            content: `将${side === 'in' ? '从白名单移除' : '加入白名单'}${filtered ? '符合当前筛选条件的' : '该型号的'}全部设备，可用相反的操作撤销。`,
            okText: verb,
            okButtonProps: { danger: side === 'in' },
            onOk: () => run().catch(() => {}),
          })
        }
      >
        {words}
      </ReasonedButton>
    </Allowed>
  )
}

function AllowlistBatch({ otaId, side, picked }: { otaId: number; side: Side; picked: Picked<Device> }) {
  const calls = useReleaseCalls()
  const endpoint = side === 'in' ? calls.white.remove : calls.white.put
  const { mutateAsync } = useWrite(endpoint, ALSO)
  return (
    <BatchCallButton
      label={side === 'in' ? '从白名单移除' : '加入白名单'}
      to={endpoint}
      picked={picked}
      onCall={(rows) => mutateAsync({ otaId, ids: rows.map(({ deviceId }) => deviceId) })}
      confirm={
        side === 'in'
          ? {
              title: `从白名单移除选中的 ${picked.rows.length} 台设备？`,
              content: '移除后，不在发布范围内的设备不再收到该版本；已领取的任务不受影响。',
              okText: '移除',
              danger: true,
            }
          : undefined
      }
    />
  )
}
