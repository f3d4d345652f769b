import { dialogs } from '#core/loading/overlays.ts'

/** Asks whether the input of a form with changes may be discarded; calls `onDiscard` when the user agrees. */
export const confirmDiscard = (onDiscard: () => void) =>
  dialogs.confirm({
    title: '放弃未保存的内容？',
    content: '关闭后，本次填写的内容将丢失。',
    okText: '放弃',
    okButtonProps: { danger: true },
    cancelText: '继续编辑',
    onOk: onDiscard,
  })
