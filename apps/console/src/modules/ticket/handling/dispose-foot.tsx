import { Alert, Button } from 'antd'
import type { ReactNode } from 'react'
import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'

interface DisposeFootProps {
  readonly saving: boolean
  /** Reason why this account can no longer submit the form; absent while it can. */
  readonly refused: string | undefined
  /** True when a newer version of the ticket exists. `isOwn`: this account made the change. */
  readonly behind: { readonly isOwn: boolean; readonly canResend: boolean } | undefined
  remark(): string
  onLoadLatest(): void
  onDiscard(): void
}

/**
 * Confirm button of the processing form, with the reason beside the button when the form cannot be submitted. The typed
 * remark can be copied then, because no call stores a remark of an account that does not handle the ticket.
 */
export function DisposeFoot({ saving, refused, behind, remark, onLoadLatest, onDiscard }: DisposeFootProps) {
  const isBlocked = refused !== undefined || (behind !== undefined && !behind.canResend)
  return (
    <div className={isBlocked ? 'ticket-foot-blocked' : undefined}>
      {refused !== undefined ? (
        <Notice title={`${refused}，您填写的内容不能提交`}>
          {remark() !== '' && (
            <Button size="small" onClick={() => void copyToClipboard(remark())}>
              复制备注
            </Button>
          )}
          <Button size="small" onClick={onDiscard}>
            放弃填写
          </Button>
        </Notice>
      ) : (
        behind && (
          <Notice title={describeBehind(behind)}>
            {!behind.canResend && (
              <Button size="small" onClick={onLoadLatest}>
                加载最新
              </Button>
            )}
          </Notice>
        )
      )}
      <Button type="primary" htmlType="submit" block loading={saving} disabled={isBlocked}>
        确认
      </Button>
    </div>
  )
}

const describeBehind = ({ isOwn, canResend }: { isOwn: boolean; canResend: boolean }) =>
  canResend
    ? '您的上次提交可能已保存，请再次确认'
    : isOwn
      ? '您已更新该工单，提交前请加载最新内容'
      : '该工单刚被他人更新，提交前请加载最新内容'

const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <Alert
    type="warning"
    showIcon
    className="kit-note"
    title={title}
    action={<span className="kit-row">{children}</span>}
  />
)
