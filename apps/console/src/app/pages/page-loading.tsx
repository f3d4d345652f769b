/** Placeholder of a page while its code loads, with the progress bar at the top of the window. */
export const PageLoading = () => (
  <>
    <div className="progress" role="progressbar" aria-label="页面加载中" />
    <div className="loading" aria-hidden="true">
      <div className="loading-line" />
      <div className="loading-block" />
    </div>
  </>
)
