import type { KeyboardEvent } from 'react'

/**
 * Returns props of a select that searches on the server: Enter and Tab select nothing while a search runs. Until the
 * response to the typed text arrives, the list shows the options of an earlier text.
 */
export const keepStaleOptions = (isFetching: boolean) => ({
  onInputKeyDown: (event: KeyboardEvent) => {
    if (!isFetching || (event.key !== 'Enter' && event.key !== 'Tab')) return
    event.stopPropagation()
    if (event.key === 'Enter') event.preventDefault()
  },
})
