/** Jobs whose progress and end are shown where they were started: nobody else tells them a second time. */
export const followed = new Set<number>()
