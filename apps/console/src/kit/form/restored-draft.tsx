import { Alert, Button } from 'antd'

export interface RestoredDraftProps {
  /** True when the form was restored from a draft. */
  readonly restored: boolean
  onStartOver(): void
}

/** Tells that a form was restored from a draft and offers to discard the draft. Renders nothing otherwise. */
export function RestoredDraft({ restored, onStartOver }: RestoredDraftProps) {
  if (!restored) return null
  return (
    <Alert
      className="kit-restored"
      type="info"
      showIcon
      title="已恢复上次未保存的内容"
      action={
        <Button size="small" onClick={onStartOver}>
          放弃并重新填写
        </Button>
      }
    />
  )
}
