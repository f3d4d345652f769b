import { ticketDesk } from '@oms/contract/ticket/ticket-desk.ts'
import { Button, Empty, Input, Popover } from 'antd'
import { useState } from 'react'
import { useRead } from '#core/api/query.ts'
import { useKeyword } from '#kit/list/use-keyword.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'

/** Searches remark templates and passes the selected text to the form. */
export function TemplateButton({ onPick }: { onPick(text: string): void }) {
  const [open, setOpen] = useState(false)
  const pick = (text: string) => {
    onPick(text)
    setOpen(false)
  }
  return (
    <Popover
      trigger="click"
      open={open}
      onOpenChange={setOpen}
      destroyOnHidden
      placement="bottomLeft"
      content={<TemplateChoices onPick={pick} />}
    >
      <Button type="link" size="small" className="ticket-serial">
        插入模板
      </Button>
    </Popover>
  )
}

function TemplateChoices({ onPick }: { onPick(text: string): void }) {
  const [keyword, setText] = useKeyword()
  const read = useRead(ticketDesk.templates, { keyword }, { quiet: true })
  const { data } = read
  return (
    <div className="ticket-templates">
      <Input
        autoFocus
        allowClear
        placeholder="搜索模板"
        aria-label="搜索模板"
        onChange={({ target }) => setText(target.value)}
      />
      {!data && <Waiting reads={[read]} rows={2} />}
      {data?.length === 0 && <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有模板" />}
      <ul>
        {data?.map(({ id, title, content }) => (
          <li key={id}>
            <button type="button" onClick={() => onPick(content)}>
              <b>{title}</b>
              <span>{content}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
