import { PlayCircleOutlined, PlusOutlined } from '@ant-design/icons'
import type { AgentDetail } from '@oms/contract/agent/agents/agent.ts'
import { agentVersions } from '@oms/contract/agent/agents/agent-version.ts'
import { agentQuestions, MAX_QUESTIONS, type QuestionRow, type RunRow } from '@oms/contract/agent/try-out/question.ts'
import { Empty, Select, Tag } from 'antd'
import { useState } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { isOpenRun, RunResult, RunState } from './question-run.tsx'
import '../agents/agent.css'
import './question.css'

const QuestionForm = lazyAfterRender(() => import('./question-form.tsx'), 'QuestionForm')

/** Test questions of an agent, and the runs that ask two versions these questions. */
export function QuestionTab({ agent }: { agent: AgentDetail }) {
  const [edited, setEdited] = useState<QuestionRow | 'new'>()
  const { data, error, refetch } = useRead(agentQuestions.list, { agentId: agent.id }, { quiet: true })
  if (!data) return <Waiting reads={[{ error, refetch }]} />
  const { list } = data
  return (
    <div className="question-tab">
      <section>
        <header className="question-bar">
          <h3>
            测试问题 <small>{`${list.length} / ${MAX_QUESTIONS}`}</small>
          </h3>
          <ReasonedButton
            icon={<PlusOutlined />}
            reason={list.length >= MAX_QUESTIONS ? `测试问题最多 ${MAX_QUESTIONS} 个` : undefined}
            onClick={() => setEdited('new')}
          >
            新增问题
          </ReasonedButton>
        </header>
        {list.length === 0 && (
          <Empty
            image={Empty.PRESENTED_IMAGE_SIMPLE}
            description="还没有问题。添加常见的问题和必须出现的词，改动设定后一次运行，就能看出回答变好还是变差。"
          />
        )}
        <ol className="question-list">
          {list.map((row) => (
            <Question key={row.id} row={row} onEdit={() => setEdited(row)} />
          ))}
        </ol>
      </section>
      <Runs agent={agent} isEmpty={list.length === 0} />
      {edited && <QuestionForm row={edited} agentId={agent.id} onClose={() => setEdited(undefined)} />}
    </div>
  )
}

function Question({ row, onEdit }: { row: QuestionRow; onEdit(): void }) {
  const remove = useWrite(agentQuestions.remove)
  const { question, mustHave, mustNotHave } = row
  return (
    <li>
      <div>
        <div className="question-text">{question}</div>
        {mustHave.map((word) => (
          <Tag key={`+${word}`} color="success">
            须有：{word}
          </Tag>
        ))}
        {mustNotHave.map((word) => (
          <Tag key={`-${word}`} color="error">
            不得有：{word}
          </Tag>
        ))}
      </div>
      <RowActions
        items={[
          { label: '编辑', to: agentQuestions.update, onClick: onEdit },
          {
            label: '删除',
            to: agentQuestions.remove,
            danger: true,
            confirm: '删除这个测试问题？已有的运行结果不受影响。',
            onClick: () => remove.mutateAsync({ id: row.id }),
          },
        ]}
      />
    </li>
  )
}

/** Starts runs and shows the selected run, by default the newest. */
function Runs({ agent, isEmpty }: { agent: AgentDetail; isEmpty: boolean }) {
  const { data, error, refetch } = useRead(agentQuestions.runs, { agentId: agent.id }, { quiet: true })
  const [chosen, setChosen] = useState<number>()
  const runs = data?.list ?? []
  const shown = runs.find(({ id }) => id === chosen) ?? runs[0]
  return (
    <section>
      <header className="question-bar">
        <h3>运行结果</h3>
        <RunStart
          agent={agent}
          reason={isEmpty ? '请先新增测试问题' : runs.some(isOpenRun) ? '上一次运行还没有结束' : undefined}
          onStarted={setChosen}
        />
      </header>
      {!data && <Waiting reads={[{ error, refetch }]} rows={2} />}
      {data && !shown && <p className="agent-quiet">还没有运行过。运行在后台进行，离开本页不影响，结果会保留。</p>}
      {runs.length > 1 && shown && (
        <Select
          aria-label="运行记录"
          className="question-runs"
          value={shown.id}
          onChange={setChosen}
          options={runs.map((run) => ({ value: run.id, label: runText(run) }))}
          optionRender={({ value }) => <RunOption run={runs.find(({ id }) => id === value)} />}
        />
      )}
      {shown && <RunResult key={shown.id} id={shown.id} onEnded={() => void refetch()} />}
    </section>
  )
}

const runText = ({ createTime, versionNo, candidateNo }: RunRow) =>
  `${time(createTime)} · v${versionNo}${candidateNo === null ? '' : ` 与 v${candidateNo}`}`

const RunOption = ({ run }: { run: RunRow | undefined }) =>
  run && (
    <>
      {runText(run)} <RunState run={run} />
    </>
  )

interface StartProps {
  readonly agent: AgentDetail
  /** Reason why no run can start. */
  readonly reason: string | undefined
  onStarted(id: number): void
}

/** Chooses the version to compare with, by default the candidate, and starts a run. */
function RunStart({ agent, reason, onStarted }: StartProps) {
  const start = useWrite(agentQuestions.start)
  const { data } = useRead(agentVersions.list, { id: agent.id }, { quiet: true })
  const [versionNo, setVersionNo] = useState<number>()
  const options = (data?.list ?? [])
    .filter((version) => version.versionNo !== agent.versionNo)
    .map((version) => ({
      value: version.versionNo,
      label: `v${version.versionNo}${version.versionNo === agent.candidateNo ? '（候选）' : ''} ${version.note}`,
    }))
  const against = versionNo ?? agent.candidateNo ?? undefined
  return (
    <div className="question-start">
      <Select
        aria-label="对比版本"
        placeholder="只运行当前版本"
        allowClear={versionNo !== undefined}
        options={options}
        {...(against !== undefined && { value: against })}
        onChange={(value?: number) => setVersionNo(value)}
      />
      <ReasonedButton
        type="primary"
        icon={<PlayCircleOutlined />}
        reason={reason}
        loading={start.isPending}
        onClick={() =>
          start.mutate(
            { agentId: agent.id, ...(against !== undefined && { versionNo: against }) },
            { onSuccess: ({ id }) => onStarted(id) },
          )
        }
      >
        运行
      </ReasonedButton>
    </div>
  )
}
