import { App, Form, Input } from 'antd'
import { type ReactNode, useState } from 'react'

interface Danger {
  readonly title: string
  readonly content: ReactNode
  /** Must be typed exactly before the button works: a name, or a count. */
  readonly typed?: string
  readonly okText: string
}

/** Asks before something that cannot be taken back; resolves to whether to go on. */
export function useConfirm() {
  const { modal } = App.useApp()
  return ({ title, content, typed, okText }: Danger) =>
    new Promise<boolean>((resolve) => {
      const dialog = modal.confirm({
        title,
        content: (
          <>
            {content}
            {typed && <Typed word={typed} onMatch={(match) => dialog.update({ okButtonProps: button(match) })} />}
          </>
        ),
        okText,
        cancelText: '取消',
        okButtonProps: button(!typed),
        onOk: () => resolve(true),
        onCancel: () => resolve(false),
      })
    })
}

const button = (enabled: boolean) => ({ danger: true, disabled: !enabled })

function Typed({ word, onMatch }: { word: string; onMatch(match: boolean): void }) {
  const [text, setText] = useState('')
  return (
    <Form layout="vertical" style={{ marginTop: 12 }}>
      <Form.Item label={<>请输入 {word} 以确认</>} htmlFor="kit-typed" style={{ marginBottom: 0 }}>
        <Input
          id="kit-typed"
          autoComplete="off"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            onMatch(target.value.trim() === word)
          }}
        />
      </Form.Item>
    </Form>
  )
}
