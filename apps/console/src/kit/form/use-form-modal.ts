import type { Endpoint } from '@oms/contract/core/endpoint.ts'
import { useRef, useState } from 'react'
import { useTab } from '#core/routing/tab.tsx'
import { confirmDiscard } from './save/confirm-discard.ts'
import { type SaveOptions, useSaveForm } from './save/use-save-form.ts'

interface ModalOptions<E extends Endpoint> extends SaveOptions<E> {
  readonly onClose: () => void
}

/**
 * Creates the state of a form dialog for one endpoint. The dialog closes on success, keeps the input on failure, and
 * asks before input is discarded.
 */
export function useFormModal<E extends Endpoint>(endpoint: E, options: ModalOptions<E>) {
  const { open, leave, ask, save, at } = useClosableForm(endpoint, options)
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

/**
 * Opens a long form in a drawer; otherwise equal to `useFormModal`. The buttons of the drawer are `<FormFooter
 * {...footer} />`.
 */
export function useFormDrawer<E extends Endpoint>(endpoint: E, options: ModalOptions<E>) {
  // antd removes a drawer that is closed during its opening animation, and does not call `afterOpenChange`.
  const isOpened = useRef(false)
  const { open, leave, ask, save, at } = useClosableForm(endpoint, options, () => isOpened.current)
  const afterOpenChange = (shown: boolean) => {
    isOpened.current = shown
    if (shown) save.focusFirst()
    else leave()
  }
  return {
    drawer: {
      ...at,
      open,
      size: 'min(720px, 100vw)',
      mask: { closable: false },
      destroyOnHidden: true,
      onClose: ask,
      afterOpenChange,
    },
    footer: { form: save.name, saving: save.saving, onCancel: ask },
    form: save.form,
    draft: save.draft,
    load: save.load,
  }
}

/**
 * Closes in two steps, so that the closing dialog can restore the focus. Without a closing animation (`animates`) the
 * form is removed at once, because its callback never runs.
 */
function useClosableForm<E extends Endpoint>(
  endpoint: E,
  { onClose, onSaved, ...options }: ModalOptions<E>,
  animates: () => boolean = () => true,
) {
  const [open, setOpen] = useState(true)
  const [again] = useState(() => document.querySelector('.kit-loading') !== null)
  const tab = useTab()
  // Hidden pages run no closing animation.
  const close = () => (tab.isShown() && animates() ? setOpen(false) : onClose())
  const save = useSaveForm(endpoint, {
    ...options,
    onSaved: (result, input) => {
      onSaved?.(result, input)
      close()
    },
  })
  const ask = () => {
    if (!save.dirty) return close()
    confirmDiscard(() => {
      save.forgetDraft()
      close()
    })
  }
  // Skips the opening animation when the form replaces its loading placeholder.
  return { open, ask, leave: onClose, save, at: { rootClassName: again ? 'kit-at-once' : '' } }
}
