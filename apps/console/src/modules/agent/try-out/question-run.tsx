import {
  agentQuestions,
  QUESTION_RUN_STATE,
  type RunDetail,
  type RunRow,
} from '@oms/contract/agent/try-out/question.ts'
import { jobs } from '@oms/contract/job/job.ts'
import { Button, Progress, Tag } from 'antd'
import { useEffect, useRef } from 'react'
import { useRead, useWrite } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { time } from '#kit/record/time.tsx'
import { AnswerCell, describeResults } from './question-answer.tsx'
import './question.css'

const ASK_AGAIN_MS = 3000
const COLORS: Readonly<Record<number, string>> = {
  0: 'default',
  1: 'processing',
  2: 'success',
  3: 'error',
  4: 'warning',
}

export const isOpenRun = ({ state }: Pick<RunRow, 'state'>) => state < 2
export const RunState = ({ run }: { run: RunRow }) => (
  <Tag color={COLORS[run.state] ?? 'default'}>{QUESTION_RUN_STATE[run.state as keyof typeof QUESTION_RUN_STATE]}</Tag>
)

/**
 * Shows the answers of a run: the version in force next to the other version. Loads an open run again every three
 * seconds.
 */
export function RunResult({ id, onEnded }: { id: number; onEnded(): void }) {
  const { data, error, refetch } = useRead(
    agentQuestions.run,
    { id },
    { quiet: true, keepPrevious: false, staleTime: 0 },
  )
  const isOpen = data !== undefined && isOpenRun(data.run)
  const wasOpen = useRef(false)
  useEffect(() => {
    // The list of runs still shows the run as open, so it must load again.
    if (!isOpen && wasOpen.current) onEnded()
    wasOpen.current = isOpen
    if (!isOpen) return
    const timer = setInterval(() => void refetch(), ASK_AGAIN_MS)
    return () => clearInterval(timer)
  }, [isOpen, refetch, onEnded])
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  return (
    <div className="question-run">
      <RunHead detail={data} onCancelled={() => void refetch()} />
      <ol className="question-results">
        {data.list.map((question) => (
          <Result key={question.id} run={data.run} question={question} />
        ))}
      </ol>
    </div>
  )
}

function RunHead({ detail: { run, list }, onCancelled }: { detail: RunDetail; onCancelled(): void }) {
  const cancel = useWrite(jobs.cancel)
  const { jobId, versionNo, candidateNo, answered, questions, error } = run
  const stop = () => jobId !== null && cancel.mutate({ id: jobId }, { onSuccess: onCancelled })
  return (
    <header className="question-run-head">
      <div>
        <RunState run={run} />
        {time(run.createTime)} {run.createName}
        {isOpenRun(run) && run.isOwn && jobId !== null && (
          <Button size="small" danger loading={cancel.isPending} onClick={stop}>
            取消运行
          </Button>
        )}
      </div>
      {isOpenRun(run) && (
        <Progress percent={Math.round((answered / Math.max(1, questions)) * 100)} size="small" aria-label="运行进度" />
      )}
      {error && <div className="question-error">{error}</div>}
      {answered > 0 && (
        <div className="question-sums">
          <span>
            <b>v{versionNo}（当前）</b> {describeResults(list, 'current')}
          </span>
          {candidateNo !== null && (
            <span>
              <b>v{candidateNo}（对比）</b> {describeResults(list, 'candidate')}
            </span>
          )}
        </div>
      )}
    </header>
  )
}

function Result({ run, question }: { run: RunRow; question: RunDetail['list'][number] }) {
  const { answers } = question
  return (
    <li>
      <h4>{question.question}</h4>
      {!answers && <p className="agent-quiet">{isOpenRun(run) ? '等待回答…' : '没有回答'}</p>}
      {answers && (
        <div className={`question-sides${answers.candidate ? '' : ' question-single'}`}>
          <AnswerCell question={question} answer={answers.current} title={`v${run.versionNo}（当前）`} />
          {answers.candidate && (
            <AnswerCell question={question} answer={answers.candidate} title={`v${run.candidateNo}（对比）`} />
          )}
        </div>
      )}
    </li>
  )
}
