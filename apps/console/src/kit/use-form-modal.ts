import type { Endpoint } from '@oms/contract/kernel/endpoint.ts'
import { useState } from 'react'
import { dialogs } from '#kernel/overlays.ts'
import { type SaveOptions, useSaveForm } from './use-save-form.ts'

interface ModalOptions<E extends Endpoint> extends SaveOptions<E> {
  readonly onClose: () => void
}

/** A form in a dialog for one endpoint: closes on success, stays with everything typed on failure, asks before losing it. */
export function useFormModal<E extends Endpoint>(endpoint: E, options: ModalOptions<E>) {
  const { open, leave, ask, save, at } = useLeaving(endpoint, options)
  return {
    modal: {
      ...at,
      open,
      okText: '保存',
      cancelText: '取消',
      confirmLoading: save.saving,
      okButtonProps: { htmlType: 'submit' as const, form: save.name },
      mask: { closable: false },
      styles: { body: { paddingBlock: 8 } },
      destroyOnHidden: true,
      onCancel: ask,
      afterOpenChange: (shown: boolean) => (shown ? save.focusFirst() : leave()),
    },
    form: save.form,
    load: save.load,
  }
}

/** The same in a drawer, for forms too long for a dialog; its buttons are `<FormFooter {...footer} />`. */
export function useFormDrawer<E extends Endpoint>(endpoint: E, options: ModalOptions<E>) {
  const { open, leave, ask, save, at } = useLeaving(endpoint, options)
  return {
    drawer: {
      ...at,
      open,
      size: 'min(720px, 100vw)',
      mask: { closable: false },
      destroyOnHidden: true,
      onClose: ask,
      afterOpenChange: (shown: boolean) => (shown ? save.focusFirst() : leave()),
    },
    footer: { form: save.name, saving: save.saving, onCancel: ask },
    form: save.form,
    load: save.load,
  }
}

/** Closing in two steps, so that the leaving dialog gives the focus back to where it came from. */
function useLeaving<E extends Endpoint>(endpoint: E, { onClose, onSaved, ...options }: ModalOptions<E>) {
  const [open, setOpen] = useState(true)
  const [again] = useState(() => document.querySelector('.kit-loading') !== null)
  const save = useSaveForm(endpoint, {
    ...options,
    onSaved: (result) => {
      onSaved?.(result)
      setOpen(false)
    },
  })
  const ask = () => {
    if (!save.dirty) return setOpen(false)
    dialogs.confirm({
      title: '放弃未保存的内容？',
      content: '关闭后，本次填写的内容将丢失。',
      okText: '放弃',
      okButtonProps: { danger: true },
      cancelText: '继续编辑',
      onOk: () => {
        save.forgetDraft()
        setOpen(false)
      },
    })
  }
  // What takes the place of its own loading state stands there at once.
  return { open, ask, leave: onClose, save, at: { rootClassName: again ? 'kit-at-once' : '' } }
}
