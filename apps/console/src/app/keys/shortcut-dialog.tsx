import { Modal } from 'antd'
import { SHORTCUTS } from './shortcut-list.ts'

/** Lists the shortcuts of the console. */
export default function ShortcutDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  return (
    <Modal open={open} onCancel={onClose} footer={null} title="键盘快捷键" width={640} rootClassName="shortcuts">
      {SHORTCUTS.map(({ group, keys }) => (
        <section key={group}>
          <h3>{group}</h3>
          <dl>
            {keys.map(([title, caps]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  {caps.map((cap) => (
                    <kbd key={cap}>{cap}</kbd>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p>输入文字时快捷键不起作用。</p>
    </Modal>
  )
}
