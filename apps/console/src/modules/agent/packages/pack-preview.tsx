import { type PackPreview as Pack, previewPacks } from '@oms/contract/agent/packages/pack-clock.ts'
import { formatAllowance, GRANT_SCOPE } from '@oms/contract/agent/packages/package-terms.ts'
import { InputNumber } from 'antd'
import { useId, useState } from 'react'
import { formatWallClock } from '#core/text/format.ts'

interface Terms {
  readonly allowances?: readonly { readonly unit?: number; readonly amount?: number }[]
  readonly scope?: number
  readonly activateDays?: number
  readonly validDays?: number
}

const MAX_COPIES = 12
const TARGET: Readonly<Record<number, string>> = GRANT_SCOPE
const dayOf = (at: number) => formatWallClock(new Date(at)).slice(0, 10)

/** Shows what a target gets for each copy of a package that is paid today, and when each copy ends. */
export function PackPreview({ terms }: { terms: Terms }) {
  const [copies, setCopies] = useState(1)
  const [firstUse, setFirstUse] = useState(0)
  const [paidAt] = useState(() => Date.now())
  const { allowances = [], scope = 1, activateDays, validDays } = terms
  const content = allowances.flatMap(({ unit, amount }) =>
    unit === undefined || amount === undefined ? [] : [formatAllowance({ unit, amount })],
  )
  if (!activateDays || !validDays || content.length === 0) return null
  const packs = previewPacks({ activateDays, validDays }, paidAt, copies, firstUse)
  return (
    <section className="kit-block">
      <h3 className="kit-heading">预览：今天付款后，{TARGET[scope]}得到什么、何时结束</h3>
      <div className="kit-row">
        <Count label="份数" min={1} max={MAX_COPIES} value={copies} onChange={setCopies} />
        <Count label="付款后第几天首次连接" min={0} max={9999} value={firstUse} onChange={setFirstUse} />
      </div>
      {packs.length > 0 ? (
        <Packs packs={packs} content={content.join('、')} />
      ) : (
        <p className="kit-muted">已超过激活期限（{activateDays} 天），套餐作废。</p>
      )}
      <p className="kit-muted">多份按顺序使用，不合并；一份到期时没有用完的部分作废。</p>
    </section>
  )
}

interface CountProps {
  readonly label: string
  readonly min: number
  readonly max: number
  readonly value: number
  onChange(value: number): void
}

function Count({ label, min, max, value, onChange }: CountProps) {
  const id = useId()
  return (
    <div className="kit-row">
      <label htmlFor={id}>{label}</label>
      <InputNumber id={id} min={min} max={max} precision={0} value={value} onChange={(n) => onChange(n ?? min)} />
    </div>
  )
}

const Packs = ({ packs, content }: { packs: readonly Pack[]; content: string }) => (
  <ul className="kit-items">
    {packs.map((pack) => (
      <li key={pack.packNo}>
        <b>
          第 {pack.packNo} 份 · {content}
        </b>
        <span className="kit-muted">
          {dayOf(pack.beginTime)} 开始，{dayOf(pack.validUntil)} 结束；最晚 {dayOf(pack.activateUntil)} 前开始使用
        </span>
      </li>
    ))}
  </ul>
)
