import { CLONE_STATE, VoiceCloneRow, voiceClones } from '@oms/contract/agent/voices/voice-clone.ts'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { AddButton } from '#kit/list/record-actions.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { AudioButton } from './voice.tsx'
import { State } from '#kit/record/state.tsx'

const CloneRename = lazyAfterRender(() => import('./voice-dialogs.tsx'), 'CloneRename')
const CloneForm = lazyAfterRender(() => import('./voice-dialogs.tsx'), 'CloneForm')

const { col, actions } = createColumns(VoiceCloneRow)
const QUERY = voiceClones.list.input
const COLOURS: Readonly<Record<number, string>> = { 0: 'default', 1: 'processing', 2: 'success', 3: 'error' }
const FAILED = 3
const COLUMNS = [
  col('name', { width: 120 }),
  col('state', (_, row) => <CloneState row={row} />, { width: 160 }),
  col('voiceId', { width: 122 }),
  col('recording', (url, { name }) => <AudioButton url={url} name={name} failure="录音已被删除，或无法播放" />, {
    width: 60,
  }),
  col('seconds', { width: 90, align: 'right' }),
  col('consentSpeaker', { width: 80 }),
  col('consentTime', time, { width: 155 }),
  col('useCount', (count) => (count > 0 ? `${count} 个` : '-'), { width: 56, align: 'right' }),
  col('modelName', { width: 170, hidden: true }),
  col('tenantName', { width: 120, hidden: true }),
  col('createName', { width: 100, hidden: true }),
  col('createTime', time, { width: 170, sort: true, hidden: true }),
]

/** Lists the cloned voices with the state of their training. */
export function CloneList() {
  const list = useInnerList(voiceClones.list)
  const [isAdding, setAdding] = useState(false)
  const [renamed, setRenamed] = useState<VoiceCloneRow>()
  const rowActions = useCloneActions(setRenamed)
  const add = <AddButton to={voiceClones.create} noun="克隆音色" onAdd={() => setAdding(true)} />
  return (
    <>
      <CloneSearch {...list.search} />
      <DataTable
        {...list.table}
        name="voice-clones"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 130)]}
        actions={add}
        empty={{
          text: '还没有克隆音色',
          hint: '上传一段 8～60 秒的录音，由火山引擎训练成音色。请先征得说话人本人同意。',
          action: add,
        }}
      />
      {isAdding && <CloneForm onClose={() => setAdding(false)} />}
      {renamed && <CloneRename row={renamed} onClose={() => setRenamed(undefined)} />}
    </>
  )
}

function CloneSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="name" />
      <Filter of={QUERY} name="voiceId" />
      <SelectFilter of={QUERY} name="state" />
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
    </SearchForm>
  )
}

/** Shows the state of the training. A failure shows the reason of the vendor. */
const CloneState = ({ row: { state, error } }: { row: VoiceCloneRow }) => (
  <span className="kit-row" title={error}>
    <State color={COLOURS[state]}>{CLONE_STATE[state as keyof typeof CLONE_STATE]}</State>
    {error && <small className="kit-ellipsis kit-problem">{error}</small>}
  </span>
)

function useCloneActions(onRename: (row: VoiceCloneRow) => void) {
  const retry = useWrite(voiceClones.retry)
  const remove = useWrite(voiceClones.remove)
  return (row: VoiceCloneRow) => {
    const { id, name, state, useCount } = row
    return (
      <RowActions
        items={[
          { label: '改名', to: voiceClones.update, onClick: () => onRename(row) },
          state === FAILED && { label: '重新训练', to: voiceClones.retry, onClick: () => retry.mutateAsync({ id }) },
          {
            label: '删除',
            to: voiceClones.remove,
            danger: true,
            reason: useCount > 0 ? `${useCount} 个智能体或模板正在使用` : undefined,
            confirm: `删除克隆音色「${name}」及其录音？火山引擎上的音色不会删除。`,
            onClick: () => remove.mutateAsync({ id }),
          },
        ]}
      />
    )
  }
}
