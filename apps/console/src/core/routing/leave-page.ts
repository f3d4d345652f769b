/** Function that navigates away from the page; `app/leave.ts` registers it at start. */
interface PageExit {
  hasUnsavedTabs(): boolean
  /** Loads a URL without the browser's prompt about unsaved input. The login page shows the note. */
  leaveTo(address: string, note?: string): void
}

let exit: PageExit | undefined

export const setPageExitHandler = (provided: PageExit) => {
  exit = provided
}
export const hasUnsavedInput = () => exit?.hasUnsavedTabs() ?? false
export const navigateAway = (address: string, note?: string) => {
  if (exit) return exit.leaveTo(address, note)
  if (note) leaveNote(note)
  location.replace(address)
}

/** Stores a message that the login page shows once. A toast would disappear during the navigation. */
export const leaveNote = (note: string) => sessionStorage.setItem('note', note)
