import { checkExpectedWords, type QuestionAnswer, type RunDetail } from '@oms/contract/agent/try-out/question.ts'
import { Tag } from 'antd'
import { formatDuration, formatAnswerFigures } from './try-turn.tsx'
import { splitAtMarkedWords } from './marked-words.ts'
import './question.css'

interface Props {
  readonly question: RunDetail['list'][number]
  readonly answer: QuestionAnswer
  readonly title: string
}

/** Shows the answer of one version, with the required and forbidden words marked, and its figures below. */
export function AnswerCell({ question, answer, title }: Props) {
  const { missing, forbidden } = checkExpectedWords(answer.text, question)
  const { mustHave, mustNotHave } = question
  const isJudged = answer.error === '' && mustHave.length + mustNotHave.length > 0
  const isPassed = missing.length + forbidden.length === 0
  return (
    <section className="question-answer" aria-label={title}>
      <header>
        <b>{title}</b>
        {isJudged && <Tag color={isPassed ? 'success' : 'error'}>{isPassed ? '通过' : '不通过'}</Tag>}
      </header>
      {answer.text && (
        <p>
          {splitAtMarkedWords(answer.text, [...mustHave, ...mustNotHave]).map(({ text, at, isWord }) =>
            isWord ? (
              <mark key={at} className={isIn(mustNotHave, text) ? 'question-bad' : 'question-good'}>
                {text}
              </mark>
            ) : (
              <span key={at}>{text}</span>
            ),
          )}
        </p>
      )}
      {answer.error && <p className="question-error">{answer.error}</p>}
      {isJudged && missing.length > 0 && <div className="question-missing">缺少：{missing.join('、')}</div>}
      {isJudged && forbidden.length > 0 && <div className="question-missing">不该出现：{forbidden.join('、')}</div>}
      {answer.totalMs > 0 && (
        <footer>
          {formatAnswerFigures({ ...answer, cached: 0, cost: 0 }).map((figure) => (
            <span key={figure}>{figure}</span>
          ))}
        </footer>
      )}
    </section>
  )
}

const isIn = (words: readonly string[], text: string) => words.some((word) => word.toLowerCase() === text.toLowerCase())

/** Describes the results of one version over the answered questions. */
export function describeResults(list: RunDetail['list'], side: 'current' | 'candidate'): string {
  const answers = list.flatMap((question) => {
    const answer = question.answers?.[side]
    return answer ? [{ question, answer }] : []
  })
  const judged = answers.filter(({ question }) => question.mustHave.length + question.mustNotHave.length > 0)
  const passed = judged.filter(({ question, answer }) => {
    const { missing, forbidden } = checkExpectedWords(answer.text, question)
    return answer.error === '' && missing.length + forbidden.length === 0
  })
  const good = answers.filter(({ answer }) => answer.error === '')
  const firstMs = good.reduce((sum, { answer }) => sum + answer.firstMs, 0) / Math.max(1, good.length)
  const tokens = answers.reduce((sum, { answer }) => sum + answer.input + answer.output, 0)
  const failed = answers.length - good.length
  return [
    judged.length > 0 ? `${passed.length}/${judged.length} 通过` : `${good.length} 个回答`,
    ...(failed > 0 ? [`${failed} 个失败`] : []),
    ...(good.length > 0 ? [`平均首字 ${formatDuration(firstMs)}`] : []),
    `${tokens} Token`,
  ].join(' · ')
}
