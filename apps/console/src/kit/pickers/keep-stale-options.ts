import type { KeyboardEvent } from 'react'

/**
 * Properties of a select that searches on the server. Until the response to the typed text arrives, the list shows the
 * options of an earlier text, and Enter or Tab would select the first of them.
 */
export const keepStaleOptions = (isFetching: boolean) => ({
  onInputKeyDown: (event: KeyboardEvent) => {
    if (!isFetching || (event.key !== 'Enter' && event.key !== 'Tab')) return
    event.stopPropagation()
    if (event.key === 'Enter') event.preventDefault()
  },
})
