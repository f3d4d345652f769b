/** Function that navigates away from the page; `app/leave.ts` registers it at start. */
interface PageExit {
  hasUnsavedTabs(): boolean
  /** Loads a URL without the browser's prompt about unsaved input. */
  leaveTo(address: string): void
}

let exit: PageExit | undefined

export const providePageExit = (provided: PageExit) => {
  exit = provided
}
export const hasUnsavedInput = () => exit?.hasUnsavedTabs() ?? false
export const leavePageTo = (address: string) => (exit ? exit.leaveTo(address) : location.replace(address))
