import { AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { AddButton, RecordBatch, useStatusAction } from '#kit/list/record-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { Ellipsis } from '#kit/record/ellipsis.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import {
  AdPicture,
  AdType,
  AuditCell,
  EnableCell,
  ProgramsLink,
  useAdTypes,
  useAuditStates,
  AdValidity,
} from './ad-cells.tsx'
import { formatAdSpecification } from '../materials/material-text.ts'
import { AD_MESSAGES } from '@oms/contract/advertise/ad-rules.ts'
import { useWrite } from '#core/api/query.ts'
import { toast } from '#core/loading/toast.ts'
import { RowActions } from '#kit/list/row-actions.tsx'
import type { BuiltInView } from '#kit/list/saved-views-state.ts'

const AdAddForm = lazyAfterRender(() => import('./ad-form.tsx'), 'AdAddForm')
const AdEditForm = lazyAfterRender(() => import('./ad-form.tsx'), 'AdEditForm')
const AdAudit = lazyAfterRender(() => import('./ad-audit.tsx'), 'AdAudit')
const AdDrawer = lazyAfterRender(() => import('./ad-drawer.tsx'), 'AdDrawer', { when: ({ row }) => row !== undefined })

const { col, actions } = createColumns(AdRow)
const QUERY = ads.list.input
const COLUMNS = [
  col('thumbUrl', (_, row) => <AdPicture row={row} />, { width: 80, picture: true }),
  col('adName', { width: 120, sort: true }),
  col('adType', (type) => <AdType type={type} />, { width: 72 }),
  col('spec', (_, row) => <Ellipsis text={formatAdSpecification(row)} />, { width: 120 }),
  col('advertiser', { width: 84 }),
  col('validTo', (_, row) => <AdValidity row={row} />, { width: 112, sort: true }),
  col('auditStatus', (_, row) => <AuditCell row={row} />, { width: 104 }),
  col('enableStat', (_, row) => <EnableCell row={row} />, { width: 76 }),
  col('refCount', (_, row) => <ProgramsLink row={row} />, { width: 76, align: 'right', help: '使用该广告的节目单数' }),
  col('duration', (seconds) => `${seconds} 秒`, { width: 84, align: 'right', sort: true, hidden: true }),
  col('contractNo', { width: 140, hidden: true }),
  col('tags', { width: 160, hidden: true }),
  col('tenantName', { width: 150, hidden: true }),
  col('createName', { width: 100, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

const VIEWS: readonly BuiltInView[] = [
  { name: '待审核', filters: { auditStatus: '1' } },
  { name: '已驳回', filters: { auditStatus: '3' } },
  { name: '已过期', filters: { validity: '3' } },
]

/** Ads of all types with their audit state. */
export default function AdListPage() {
  const list = useList(ads.list)
  const [edited, setEdited] = useState<AdRow | 'new'>()
  const [shown, setShown] = useState<AdRow>()
  const [audited, setAudited] = useState<AdRow>()
  const close = () => setEdited(undefined)
  const rowActions = useAdActions({ onShow: setShown, onEdit: setEdited, onAudit: setAudited })
  const add = <AddButton to={ads.create} noun="广告" onAdd={() => setEdited('new')} />
  return (
    <Page>
      <AdSearch {...list.search} />
      <DataTable
        {...list.table}
        views={VIEWS}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130, AD_ACTION_CALLS)]}
        actions={add}
        batch={(picked) => <AdBatch picked={picked} />}
        empty={{
          text: '还没有广告',
          hint: '上传图片或视频，审核通过后即可编入节目单',
          needs: ads.create,
          otherwise: '您没有新增广告的权限，请联系本单位的管理员上传广告。',
          action: add,
        }}
        onOpen={setShown}
      />
      <AdDrawer rows={list.table.rows} row={shown} onRow={setShown} />
      {audited && <AdAudit row={audited} onClose={() => setAudited(undefined)} />}
      {edited === 'new' && <AdAddForm onClose={close} />}
      {edited && edited !== 'new' && <AdEditForm row={edited} onClose={close} />}
    </Page>
  )
}

function AdSearch(search: SearchProps) {
  const types = useAdTypes().options
  const states = useAuditStates().options
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="adName" />
      <SelectFilter of={QUERY} name="adType" options={types} />
      <SelectFilter of={QUERY} name="auditStatus" options={states} />
      <Filter of={QUERY} name="advertiser" />
      <SelectFilter of={QUERY} name="validity" />
      <SelectFilter of={QUERY} name="enableStat" />
      <SelectFilter of={QUERY} name="todo" />
      <Filter of={QUERY} name="tag" />
    </SearchForm>
  )
}

function AdBatch({ picked }: { picked: Picked<AdRow> }) {
  const batch = { picked, nameOf: ({ adName }: AdRow) => adName }
  return (
    <>
      <BatchAction label="提交审核" to={ads.submit} input={({ id }) => ({ id })} {...batch} />
      <RecordBatch
        calls={ads}
        {...batch}
        disableEffect="屏幕下次获取节目时不再播放这些广告。"
        removeEffect="删除后不能恢复，已产生的播放统计不受影响。"
      />
    </>
  )
}

interface Handlers {
  readonly onShow: (row: AdRow) => void
  readonly onEdit: (row: AdRow) => void
  readonly onAudit: (row: AdRow) => void
}
const DRAFT = 0
const SUBMITTED = 1
const REJECTED = 3

/** Calls of the row actions of an ad. */
const AD_ACTION_CALLS = [ads.get, ads.audit, ads.update, ads.submit, ads.withdraw, ads.enable, ads.disable, ads.remove]

/**
 * Returns a function that renders the actions that the state of an ad allows. The details of a rejected ad precede the
 * next submission, because they say what to change.
 */
export function useAdActions({ onShow, onEdit, onAudit }: Handlers) {
  const submit = useWrite(ads.submit)
  const withdrawOf = useWithdraw()
  const statusActionOf = useStatusAction(ads)
  const removeOf = useRemove()
  return (row: AdRow) => {
    const { id } = row
    const reason = findBlock(row)
    const details = { label: '详情', to: ads.get, onClick: () => onShow(row) }
    return (
      <RowActions
        items={[
          row.auditStatus === SUBMITTED && {
            label: '审核',
            to: ads.audit,
            reason: row.auditRefusal || undefined,
            onClick: () => onAudit(row),
          },
          row.auditStatus !== SUBMITTED && { label: '编辑', to: ads.update, reason, onClick: () => onEdit(row) },
          row.auditStatus === REJECTED && details,
          (row.auditStatus === DRAFT || row.auditStatus === REJECTED) && {
            label: '提交审核',
            to: ads.submit,
            reason,
            onClick: () => submit.mutateAsync({ id }).then(warnWithoutAuditor, () => {}),
          },
          row.auditStatus === SUBMITTED && withdrawOf(row),
          row.auditStatus !== REJECTED && details,
          statusActionOf(statusOf(row)),
          removeOf(row),
        ]}
      />
    )
  }
}

/** Warns the submitter of an ad when no other account may audit the ad. */
function warnWithoutAuditor({ hasAuditor }: { readonly hasAuditor: boolean }) {
  if (!hasAuditor) toast.warning('目前没有其他人可以审核该广告，需要另一位有审核权限的账号')
}

/** Returns why the caller may not change an ad. */
const findBlock = ({ isBeyondScope }: AdRow) => (isBeyondScope ? AD_MESSAGES.beyondScope : undefined)

const statusOf = (row: AdRow) => ({
  id: row.id,
  on: row.enableStat === 1,
  name: `广告「${row.adName}」`,
  warning: '屏幕下次获取节目时不再播放该广告。',
  reason: findBlock(row),
})

/** Returns the action that withdraws the submitted version of an ad. */
function useWithdraw() {
  const withdraw = useWrite(ads.withdraw)
  return (row: AdRow) => ({
    label: '撤回',
    to: ads.withdraw,
    reason: findBlock(row),
    confirm: `撤回广告「${row.adName}」的审核？撤回后可修改并重新提交。`,
    onClick: () => withdraw.mutateAsync({ id: row.id }),
  })
}

/** Returns the action that deletes an ad, disabled while programs use the ad. */
function useRemove() {
  const remove = useWrite(ads.remove)
  return ({ id, adName, refCount }: AdRow) =>
    ({
      label: '删除',
      to: ads.remove,
      danger: true,
      reason: refCount > 0 ? `该广告被 ${refCount} 个节目单引用，不能删除` : undefined,
      confirm: `删除广告「${adName}」？已产生的播放统计不受影响。`,
      onClick: () => remove.mutateAsync({ id }),
    }) as const
}
