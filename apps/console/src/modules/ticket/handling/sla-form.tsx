import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { ticketDesk, type SlaValue } from '@oms/contract/ticket/ticket-desk.ts'
import { FEEDBACK_PRIORITY } from '@oms/contract/ticket/ticket-rows.ts'
import { Button, Checkbox, Drawer, Form, Input, InputNumber, Switch, Alert, Select, type SelectProps } from 'antd'
import { useState } from 'react'
import { call } from '#core/api/client.ts'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import '../ticket.css'

const WEEKDAYS = ['周一', '周二', '周三', '周四', '周五', '周六', '周日'].map((label, at) => ({ value: at + 1, label }))
const PRIORITIES = Object.entries(FEEDBACK_PRIORITY).reverse()

const read = () => call(ticketDesk.sla, {}, { quiet: true })

/** Form for the time limits by priority and for the working hours that count. */
export function SlaForm({ onClose }: { onClose(): void }) {
  return (
    <FreshRecord read={read} layer="drawer" title="服务时限" onClose={onClose}>
      {(sla) => <Loaded sla={sla} onClose={onClose} />}
    </FreshRecord>
  )
}

function Loaded({
  sla,
  onClose,
}: {
  sla: SlaValue & { readonly rev: number; readonly missingYear: number }
  onClose(): void
}) {
  const { drawer, footer, form } = useFormDrawer(ticketDesk.saveSla, {
    onClose,
    initial: sla,
    latest: read,
    input: (values) => values as never,
  })
  return (
    <Drawer title="服务时限" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Form.Item name="enabled" label="启用时限" valuePropName="checked">
          <Switch checkedChildren="启用" unCheckedChildren="停用" />
        </Form.Item>
        <h3 className="kit-heading">时限（工作时间，分钟）</h3>
        <Targets />
        <h3 className="kit-heading">工作日历</h3>
        <Form.Item name={['calendar', 'weekdays']} label="工作日">
          <Checkbox.Group options={WEEKDAYS} />
        </Form.Item>
        <Periods />
        {sla.missingYear > 0 && <MissingYear year={sla.missingYear} />}
        <DayList
          name="holidays"
          label="另外放假的日期"
          hint="国务院公布的节假日和调休已自动计入；这些天也不计时，格式 2026-10-01"
        />
        <DayList name="workdays" label="照常上班的日期" hint="节假日或周末里照常计时的日期" />
      </Form>
    </Drawer>
  )
}

const Targets = () => (
  <div className="ticket-targets">
    <span />
    <span>首次响应</span>
    <span>解决</span>
    {PRIORITIES.map(([value, label]) => (
      <TargetRow key={value} value={value} label={label} />
    ))}
  </div>
)

function TargetRow({ value, label }: { value: string; label: string }) {
  return (
    <>
      <b>{label}</b>
      {(['respond', 'solve'] as const).map((kind) => (
        <Form.Item key={kind} name={['targets', value, kind]} noStyle>
          <InputNumber
            min={1}
            max={100_000}
            suffix="分钟"
            style={{ width: '100%' }}
            aria-label={`${label}${kind === 'respond' ? '首次响应' : '解决'}`}
          />
        </Form.Item>
      ))}
    </>
  )
}

const Periods = () => (
  <Form.List name={['calendar', 'periods']}>
    {(fields, { add, remove }) => (
      <Form.Item label="工作时段">
        {fields.map(({ key, name }) => (
          <div key={key} className="kit-row kit-note">
            <Form.Item name={[name, 'start']} noStyle>
              <Input placeholder="09:00" maxLength={5} aria-label={`时段 ${name + 1} 开始`} />
            </Form.Item>
            <span>至</span>
            <Form.Item name={[name, 'end']} noStyle>
              <Input placeholder="12:00" maxLength={5} aria-label={`时段 ${name + 1} 结束`} />
            </Form.Item>
            <Button
              type="text"
              icon={<DeleteOutlined />}
              aria-label={`移除时段 ${name + 1}`}
              onClick={() => remove(name)}
            />
          </div>
        ))}
        {fields.length < 6 && (
          <Button icon={<PlusOutlined />} onClick={() => add({ start: '', end: '' })}>
            添加时段
          </Button>
        )}
      </Form.Item>
    )}
  </Form.List>
)

/** Reports that the official holidays of a year are unknown. */
const MissingYear = ({ year }: { year: number }) => (
  <Alert
    className="kit-note"
    type="warning"
    showIcon
    title={`还没有 ${year} 年的法定节假日`}
    description="请升级到较新的版本，或在下面填写放假和调休上班的日期，否则放假期间仍按工作日计时。"
  />
)

/** Edits a list of days as text. Several days can be pasted at once. */
const DayList = ({ name, label, hint }: { name: 'holidays' | 'workdays'; label: string; hint: string }) => (
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
