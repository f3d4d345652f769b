import { programChecks } from '@oms/contract/advertise/program-check.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Modal } from 'antd'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import './program.css'

type Forecast = ResultOf<typeof programChecks.forecast>

const number = (value: number) => value.toLocaleString('en')

/** Plays that a booking has at its end, and the measures that fill a gap. */
export function ProgramForecast({ id }: { id: number }) {
  const read = useRead(programChecks.forecast, { id }, { quiet: true, keepPrevious: false })
  return read.data ? <Result of={read.data} /> : <Waiting reads={[read]} rows={3} />
}

interface DialogProps {
  readonly id: number
  readonly name: string
  onClose(): void
}

export const ForecastDialog = ({ id, name, onClose }: DialogProps) => (
  <Modal open title={`完成预测 - ${name}`} footer={null} onCancel={onClose} width={560}>
    <ProgramForecast id={id} />
  </Modal>
)

function Result({ of }: { of: Forecast }) {
  const { played, expected, booked, rate, dateTo, availability, isAvailabilityKnown, screens } = of
  return (
    <div className="ad-check">
      <p className="ad-scope">
        到 {dateTo} 预计播放 <b>{number(expected)}</b> 次，预约 <b>{number(booked)}</b> 次，预计完成 <b>{rate}%</b>
      </p>
      <ForecastBar played={played} expected={expected} booked={booked} />
      <p className="ad-quiet">
        已播放 {number(played)} 次；其余按 {number(screens)} 块屏幕的排期和 {availability}% 的到播率估算
        {isAvailabilityKnown ? '（最近 14 天上报的播放占计划的比例）' : '（还没有一整天的播放上报，按经验值）'}
      </p>
      <Proposals of={of} />
    </div>
  )
}

/** Shows played and expected plays as parts of the booking. */
function ForecastBar({ played, expected, booked }: Pick<Forecast, 'played' | 'expected' | 'booked'>) {
  const whole = Math.max(booked, expected, 1)
  const percent = (value: number) => `${(value / whole) * 100}%`
  return (
    <div className="ad-forecast-bar" aria-hidden>
      <i style={{ inlineSize: percent(expected) }} />
      <i style={{ inlineSize: percent(played) }} />
      <b style={{ insetInlineStart: percent(booked) }} />
    </div>
  )
}

function Proposals({ of: { gap, texts } }: { of: Forecast }) {
  if (gap === 0) return <Alert type="success" showIcon title="预计能完成预约" />
  return (
    <Alert
      type="warning"
      showIcon
      title={`预计缺 ${number(gap)} 次`}
      description={
        texts.length === 0 ? (
          '调整份额、日期或屏幕数量都不能补足'
        ) : (
          <>
            以下任意一项即可补足：
            <ul className="ad-findings">
              {texts.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </>
        )
      }
    />
  )
}
