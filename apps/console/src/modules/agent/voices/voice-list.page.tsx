import { voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { Tabs } from 'antd'
import { useRead, useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { useView } from '#core/routing/view.ts'
import { Page } from '#kit/record/page.tsx'
import { agentVoices, VoiceRow } from '@oms/contract/agent/voices/voice.ts'
import { useState } from 'react'
import { EnableSwitch } from '#kit/list/enable-switch.tsx'
import { ExportButton } from '#kit/list/export-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { AudioButton, SpeechModelSelect } from './voice.tsx'

const CloneList = lazyAfterRender(() => import('./clone-list.tsx'), 'CloneList')
const VIEWS = [
  { key: 'voices', label: '音色' },
  { key: 'clones', label: '克隆' },
]

/** Voices of text-to-speech models, and the cloned voices where the feature is on. */
export default function VoiceListPage() {
  const mayClone = useMayCall()(voiceClones.list)
  const { data } = useRead(voiceClones.feature, {}, { enabled: mayClone, quiet: true })
  const [view, setView] = useView('voices')
  const hasClones = mayClone && data?.isEnabled === true
  return (
    <Page tabs={hasClones && <Tabs activeKey={view} onChange={setView} items={VIEWS} />}>
      {hasClones && view === 'clones' ? <CloneList /> : <VoiceList />}
    </Page>
  )
}

const VoiceForm = lazyAfterRender(() => import('./voice-dialogs.tsx'), 'VoiceForm')
const VoiceTestDialog = lazyAfterRender(() => import('./voice-dialogs.tsx'), 'VoiceTestDialog')
const VoiceUses = lazyAfterRender(() => import('./voice-dialogs.tsx'), 'VoiceUses')
const VoiceHistory = lazyAfterRender(() => import('#kit/record/history-drawer.tsx'), 'HistoryDrawer')

const { col, actions } = createColumns(VoiceRow)
const QUERY = agentVoices.list.input
const SHOWN = [
  col('name', { width: 140, sort: true }),
  col('code', { width: 210 }),
  col('modelName', { width: 140 }),
  col('languages', { width: 100 }),
  col('demoFile', (_, row) => <Sample row={row} />, { width: 65 }),
  col('modelCode', { width: 160, hidden: true }),
  col('tenantName', { width: 120, hidden: true }),
  col('sort', { width: 80, align: 'right', sort: true }),
  col('status', (_, row) => <VoiceStatus row={row} />, { width: 85 }),
  col('remark', { width: 160, hidden: true }),
  col('updateTime', time, { width: 170, sort: true, hidden: true }),
]

/** Lists the voices of text-to-speech models. */
function VoiceList() {
  const list = useList(agentVoices.list)
  const [edited, setEdited] = useState<VoiceRow | 'new'>()
  const [shown, setShown] = useState<VoiceRow>()
  const [used, setUsed] = useState<VoiceRow>()
  const [tested, setTested] = useState<VoiceRow>()
  const rowActions = useVoiceActions({ onEdit: setEdited, onTest: setTested, onHistory: setShown })
  const add = <AddButton to={agentVoices.create} noun="音色" onAdd={() => setEdited('new')} />
  // Rows of the platform have only the test; own rows also have their history.
  const calls = list.table.rows.some(({ isEditable }) => isEditable) ? undefined : [agentVoices.test]
  const uses = col('useCount', (_, row) => <Uses row={row} onOpen={setUsed} />, { width: 70, align: 'right' })
  return (
    <>
      <VoiceSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...SHOWN, uses, actions(rowActions, 130, calls)]}
        actions={add}
        tools={<ExportButton to={agentVoices.export} query={list.query} name="音色" />}
        empty={{ text: '还没有音色', action: add }}
      />
      {tested && <VoiceTestDialog row={tested} onClose={() => setTested(undefined)} />}
      {used && <VoiceUses row={used} onClose={() => setUsed(undefined)} />}
      {edited && <VoiceForm row={edited} onClose={() => setEdited(undefined)} />}
      {shown && (
        <VoiceHistory name={shown.name} bizType="agentVoice" bizId={shown.id} onClose={() => setShown(undefined)} />
      )}
    </>
  )
}

/** Shows the number of agents and templates that use a voice; a click lists them. */
function Uses({ row, onOpen }: { row: VoiceRow; onOpen(row: VoiceRow): void }) {
  const mayOpen = useMayCall()(agentVoices.uses)
  if (row.useCount === 0) return <span className="kit-none">-</span>
  if (!mayOpen) return `${row.useCount} 个`
  return (
    <button type="button" className="kit-link" onClick={() => onOpen(row)}>
      {row.useCount} 个
    </button>
  )
}

function VoiceSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="name" />
      <Filter of={QUERY} name="code" />
      <Filter of={QUERY} name="modelId">
        <SpeechModelSelect />
      </Filter>
      <Filter of={QUERY} name="languages" />
      <SelectFilter of={QUERY} name="status" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

interface VoiceHandlers {
  onEdit(row: VoiceRow): void
  onTest(row: VoiceRow): void
  onHistory(row: VoiceRow): void
}

const NOT_TESTABLE = '该接口只能由语音服务调用，不能在此测试'

function useVoiceActions({ onEdit, onTest, onHistory }: VoiceHandlers) {
  const remove = useWrite(agentVoices.remove)
  return (row: VoiceRow) => {
    const test = {
      label: '测试',
      to: agentVoices.test,
      reason: row.isTestable ? undefined : NOT_TESTABLE,
      onClick: () => onTest(row),
    }
    if (!row.isEditable) return <RowActions items={[test]} />
    return (
      <RowActions
        items={[
          { label: '编辑', to: agentVoices.update, onClick: () => onEdit(row) },
          test,
          { label: '操作记录', to: agentVoices.list, onClick: () => onHistory(row) },
          {
            label: '删除',
            to: agentVoices.remove,
            danger: true,
            reason: row.useCount > 0 ? `被 ${row.useCount} 个智能体或模板使用，不能删除` : undefined,
            confirm: `删除音色「${row.name}」？`,
            onClick: () => remove.mutateAsync({ id: row.id }),
          },
        ]}
      />
    )
  }
}

/** Plays the uploaded sample, or opens the sample on the server of the vendor in a new window. */
function Sample({ row: { demoFile, demoUrl, name } }: { row: VoiceRow }) {
  if (demoFile) return <AudioButton url={demoFile} name={name} failure="试听文件无法播放" />
  if (!demoUrl) return <span className="kit-none">-</span>
  return (
    <a href={demoUrl} target="_blank" rel="noreferrer noopener" aria-label={`试听 ${name}`}>
      试听
    </a>
  )
}

const VoiceStatus = ({ row }: { row: VoiceRow }) =>
  row.isEditable ? (
    <EnableSwitch
      calls={agentVoices}
      id={row.id}
      on={row.status === 1}
      name={row.name}
      warning="停用后不能被新的智能体选择，正在使用的智能体不受影响。"
    />
  ) : (
    <EnabledTag on={row.status === 1} />
  )
