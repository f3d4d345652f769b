import { LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useRecordNeighbours } from '#core/routing/record-trail.ts'

/** Buttons for the previous and the next record of the list from which the record was opened. */
export function RecordPager({ noun }: { noun: string }) {
  const { previous, next, position, total = 0 } = useRecordNeighbours()
  const navigate = useNavigate()
  if (total < 2) return null
  const button = (label: string, icon: ReactNode, to: string | undefined) => (
    <Button
      type="text"
      icon={icon}
      aria-label={label}
      title={label}
      disabled={!to}
      onClick={() => to && void navigate(to)}
    />
  )
  return (
    <span className="kit-row kit-muted">
      {button(`上一个${noun}`, <LeftOutlined />, previous)}
      {position} / {total}
      {button(`下一个${noun}`, <RightOutlined />, next)}
    </span>
  )
}
