import { Tag } from 'antd'
import { Time } from '#kit/record/time.tsx'
import './advertise.css'

/** A decision about an earlier version. */
export interface EarlierReview {
  readonly verNo: number
  readonly isRejection: boolean
  readonly reviewer: string
  readonly time: string
  readonly remark: string
}

/** The described content of a version, one entry a field. */
type Content = readonly { readonly field: string; readonly title: string; readonly value: string }[]

interface EarlierReviewsProps {
  /** Chinese word for the decisions: 审核 for ads, 审批 for programs. */
  readonly noun: '审核' | '审批'
  /** Decisions, newest first. */
  readonly reviews: readonly EarlierReview[]
  /** Content of the submitted version, and of the version of the newest decision. */
  readonly now: Content
  readonly before: Content
}

const MAX_SHOWN = 5

/**
 * Lists the decisions about the earlier versions of a submitted record. After a rejection, also lists what changed since
 * the rejected version, so that the reviewer sees whether the reason is settled.
 */
export function EarlierReviews({ noun, reviews, now, before }: EarlierReviewsProps) {
  const [newest] = reviews
  if (!newest) return null
  return (
    <section className="ad-earlier" aria-label={`此前的${noun}`}>
      <h3>此前的{noun}</h3>
      <ul className="ad-versions">
        {reviews.slice(0, MAX_SHOWN).map((review) => (
          <Review key={review.verNo} of={review} noun={noun} />
        ))}
      </ul>
      {reviews.length > MAX_SHOWN && <small>共 {reviews.length} 次，其余见详情的“版本”</small>}
      {newest.isRejection && <Changes verNo={newest.verNo} changes={listContentChanges(before, now)} />}
    </section>
  )
}

type ReviewProps = Pick<EarlierReviewsProps, 'noun'> & { readonly of: EarlierReview }

const Review = ({ of: { verNo, isRejection, reviewer, time, remark }, noun }: ReviewProps) => (
  <li>
    <div>
      <b>版本 {verNo}</b> <Tag color={isRejection ? 'error' : 'success'}>{isRejection ? '已驳回' : '已通过'}</Tag>
      <small>
        {reviewer || '已删除的账号'} {noun}于 <Time at={time} />
      </small>
    </div>
    {remark && (
      <div>
        {isRejection ? '驳回原因' : `${noun}意见`}：{remark}
      </div>
    )}
  </li>
)

interface Change {
  readonly field: string
  readonly title: string
  readonly from: string
  readonly to: string
}

function Changes({ verNo, changes }: { verNo: number; changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="ad-earlier-same">提交的内容与被驳回的版本 {verNo} 相同</p>
  return (
    <div className="ad-diff">
      <h3>
        驳回后的修改<small>与版本 {verNo} 比较</small>
      </h3>
      <dl>
        {changes.map(({ field, title, from, to }) => (
          <div key={field} className="ad-changed">
            <dt>{title}</dt>
            <dd>
              <del>{from || '（空）'}</del> {to || '（已清空）'}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Returns the fields whose description differs, in the order of the newer content. */
export function listContentChanges(before: Content, now: Content): Change[] {
  const old = new Map(before.map(({ field, value }) => [field, value]))
  const fields = new Map([...now, ...before].map(({ field, title }) => [field, title]))
  const current = new Map(now.map(({ field, value }) => [field, value]))
  return [...fields].flatMap(([field, title]) => {
    const [from, to] = [old.get(field) ?? '', current.get(field) ?? '']
    return from === to ? [] : [{ field, title, from, to }]
  })
}
