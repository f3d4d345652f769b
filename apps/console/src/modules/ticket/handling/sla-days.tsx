import { Alert, Button, Form, Select, type SelectProps } from 'antd'
import { useState } from 'react'

/** Reports that the official holidays of a year are unknown. */
export const MissingYear = ({ year }: { year: number }) => (
  <Alert
    className="ticket-calendar-hint"
    type="warning"
    showIcon
    title={`还没有 ${year} 年的法定节假日`}
    description="请升级到较新的版本，或在下面填写放假和调休上班的日期，否则放假期间仍按工作日计时。"
  />
)

/** Edits a list of days as text. Several days can be pasted at once. */
export const DayList = ({ name, label, hint }: { name: 'holidays' | 'workdays'; label: string; hint: string }) => (
  <Form.Item name={['calendar', name]} label={label} extra={hint}>
    <DayTags />
  </Form.Item>
)

/** Number of days that are shown before the list is expanded. */
const FOLDED = 24

function DayTags(props: SelectProps<string[]>) {
  const [isExpanded, setExpanded] = useState(false)
  const count = props.value?.length ?? 0
  return (
    <>
      <Select
        {...props}
        mode="tags"
        maxTagCount={isExpanded ? undefined : FOLDED}
        maxTagPlaceholder={(hidden) => `还有 ${hidden.length} 天`}
        tokenSeparators={[',', '，', ' ', '\n']}
        open={false}
        placeholder="输入日期后回车，可一次粘贴多个"
      />
      {count > FOLDED && (
        <Button type="link" size="small" aria-expanded={isExpanded} onClick={() => setExpanded(!isExpanded)}>
          {isExpanded ? '收起' : `显示全部 ${count} 天`}
        </Button>
      )}
    </>
  )
}
