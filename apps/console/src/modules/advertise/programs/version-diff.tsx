import type { AdVersionRow } from '@oms/contract/advertise/ad.ts'
import '../advertise.css'

interface VersionDiffProps {
  readonly submitted: AdVersionRow
  /** The version that plays now. */
  readonly playing: AdVersionRow | undefined
  /** True for the first version that was ever submitted. */
  readonly isFirst: boolean
}

/** Lists the content of the submitted version. Changed fields also show the value of the version that plays now. */
export function VersionDiff({ submitted, playing, isFirst }: VersionDiffProps) {
  const before = new Map(playing?.content.map(({ field, value }) => [field, value]))
  const now = new Set(submitted.content.map(({ field }) => field))
  const removed = playing?.content.filter(({ field }) => !now.has(field)) ?? []
  return (
    <section className="ad-diff" aria-label="提交的内容">
      <h3 className="kit-heading">
        版本 {submitted.verNo}
        <small>{playing ? `与投放中的版本 ${playing.verNo} 比较` : isFirst ? '首次提交' : '此前没有通过的版本'}</small>
      </h3>
      <dl className="kit-facts">
        {submitted.content.map(({ field, title, value }) => {
          const isChanged = playing !== undefined && before.get(field) !== value
          return (
            <div key={field} className={isChanged ? 'ad-changed' : undefined}>
              <dt>{title}</dt>
              <dd>
                {isChanged && <del>{before.get(field) ?? '（空）'}</del>} {value}
              </dd>
            </div>
          )
        })}
        {removed.map(({ field, title, value }) => (
          <div key={field} className="ad-changed">
            <dt>{title}</dt>
            <dd>
              <del>{value}</del>（已清空）
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
