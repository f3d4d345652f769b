import { AdRow, ads } from '@oms/contract/advertise/ad.ts'
import { useState } from 'react'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { BatchAction } from '#kit/list/batch-action.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { AddButton, RecordBatch } from '#kit/list/record-actions.tsx'
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
import { AD_ACTION_CALLS, useAdActions } from './use-ad-actions.tsx'

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
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 200, AD_ACTION_CALLS)]}
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
