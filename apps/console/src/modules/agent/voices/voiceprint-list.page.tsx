import { AudioOutlined, PlusOutlined } from '@ant-design/icons'
import { VoiceprintRow, voiceprints } from '@oms/contract/agent/voiceprints/voiceprint.ts'
import { useState } from 'react'
import { useWrite, useRead } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { Filter } from '#kit/list/filter.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useList } from '#kit/list/use-list.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { Page } from '#kit/record/page.tsx'
import { time } from '#kit/record/time.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { AgentPicker } from '../agent-picker.tsx'
import { VoicePlayer } from './voice.tsx'
import { Alert } from 'antd'
import { PermittedLink } from '#kit/record/known-link.tsx'

const VoiceprintAddForm = lazyAfterRender(() => import('./voiceprint-dialogs.tsx'), 'VoiceprintAddForm')
const VoiceprintEditForm = lazyAfterRender(() => import('./voiceprint-dialogs.tsx'), 'VoiceprintEditForm')
const VoiceprintTest = lazyAfterRender(() => import('./voiceprint-dialogs.tsx'), 'VoiceprintTest')

const { col, actions } = createColumns(VoiceprintRow)
const QUERY = voiceprints.list.input
const COLUMNS = [
  col('name', { width: 100 }),
  col('introduction', { width: 160 }),
  col('agentName', { width: 130 }),
  col('tenantName', { width: 150 }),
  col('audioId', (_, { audioId, name }) => audioId && <VoicePlayer audioId={audioId} name={name} />, {
    title: '语音',
    width: 70,
  }),
  col('hits', { width: 120, align: 'right' }),
  col('createTime', time, { width: 170, sort: true }),
]

/** Speakers that agents recognise. */
export default function VoiceprintListPage() {
  const list = useList(voiceprints.list)
  const [isNew, setNew] = useState(false)
  const [isTest, setTest] = useState(false)
  const [edited, setEdited] = useState<VoiceprintRow>()
  const remove = useWrite(voiceprints.remove)
  const rowActions = (row: VoiceprintRow) => (
    <RowActions
      items={[
        { label: '编辑', to: voiceprints.update, onClick: () => setEdited(row) },
        {
          label: '删除',
          to: voiceprints.remove,
          danger: true,
          confirm: `删除「${row.name}」的声纹？智能体将不再认得这个人的声音。`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  const buttons = useHasVoiceprints() && <Buttons onNew={() => setNew(true)} onTest={() => setTest(true)} />
  return (
    <Page>
      <VoiceprintServiceNote />
      <VoiceprintSearch {...list.search} />
      <DataTable
        {...list.table}
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 110, [voiceprints.update, voiceprints.remove])]}
        actions={buttons}
        empty={{ text: '还没有声纹', hint: '从智能体与用户的对话中选一段语音，登记说话人。', action: buttons }}
      />
      {isNew && <VoiceprintAddForm onClose={() => setNew(false)} />}
      {edited && <VoiceprintEditForm row={edited} onClose={() => setEdited(undefined)} />}
      {isTest && <VoiceprintTest onClose={() => setTest(false)} />}
    </Page>
  )
}

function Buttons({ onNew, onTest }: { onNew(): void; onTest(): void }) {
  const reason = useVoiceprintProblem()
  return (
    <>
      <Allowed to={voiceprints.create}>
        <ReasonedButton type="primary" icon={<PlusOutlined />} reason={reason} onClick={onNew}>
          登记声纹
        </ReasonedButton>
      </Allowed>
      <Allowed to={voiceprints.test}>
        <ReasonedButton icon={<AudioOutlined />} reason={reason} onClick={onTest}>
          测试
        </ReasonedButton>
      </Allowed>
    </>
  )
}

function VoiceprintSearch(search: SearchProps) {
  const isMany = useHasManyTenants()
  return (
    <SearchForm {...search}>
      <Filter of={QUERY} name="name" />
      <Filter of={QUERY} name="agentId">
        <AgentPicker from={voiceprints.agents} />
      </Filter>
      {isMany && (
        <Filter of={QUERY} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}

const MISSING = 0
const DOWN = 2
const OFF = 3

/** False while the parameter `features` turns voiceprints off. */
const useHasVoiceprints = () => useRead(voiceprints.service, {}, { quiet: true }).data?.state !== OFF

/** Returns why no voice can be recorded or tested, or undefined. */
function useVoiceprintProblem() {
  const { data } = useRead(voiceprints.service, {}, { quiet: true })
  if (data?.state === MISSING) return '还没有声纹服务'
  return data?.state === DOWN ? data.message : undefined
}

const ToParams = () => <PermittedLink to="/agent/params">参数</PermittedLink>

/** Explains why voiceprints do not work: no service, a service that does not respond, or the feature is off. */
function VoiceprintServiceNote() {
  const { data } = useRead(voiceprints.service, {}, { quiet: true })
  if (data?.state === MISSING)
    return (
      <Alert
        type="info"
        showIcon
        title={
          <>
            还没有声纹服务。部署 voiceprint-api 后，把它的健康检查地址填入
            <ToParams /> server.voice_print。
          </>
        }
      />
    )
  if (data?.state === DOWN) return <Alert type="warning" showIcon title={data.message} />
  if (data?.state === OFF)
    return (
      <Alert
        type="info"
        showIcon
        title={
          <>
            声纹功能已停用，可在
            <ToParams /> features 中启用。
          </>
        }
      />
    )
  return null
}
